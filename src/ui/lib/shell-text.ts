/** A shell's result for reading: what came with it, how it ended, its output. `exit` is null where it has no exit code. */
export interface ShellResult {
  readonly remarks: string;
  readonly verdict: string;
  readonly exit: number | null;
  readonly output: string;
}

/** The line that says how a command ended. */
const verdict =
  /^(?:Exit code (-?\d+)|Timed out after .*|Cancelled: the command .*|The command could not be started: .*|What ran the command is gone .*)$/;

/** Remarks are few and come first, so that a line of the output is never taken for the verdict. */
const farthest = 20;

/** Reads the text of a shell's result; one that is not as the tool writes it (a denied call, an error) is all output. */
export function readShellResult(text: string): ShellResult {
  const lines = text.split('\n');
  const at = lines.findIndex((line, index) => index < farthest && verdict.test(line));
  if (at < 0) return { remarks: '', verdict: '', exit: null, output: text };
  const line = lines[at] ?? '';
  const code = verdict.exec(line)?.[1];
  return {
    remarks: lines.slice(0, at).join('\n'),
    verdict: line,
    exit: code === undefined ? null : Number(code),
    output: lines.slice(at + 1).join('\n'),
  };
}
