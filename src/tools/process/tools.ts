import * as z from 'zod';
import { errorResult, textResult, type Tool, tool } from '../../core/index.ts';
import type { NoSuchProcess, ProcessDriver, ProcessEnd } from './driver.ts';
import { wholeCharacters } from './whole-characters.ts';

/** How many bytes of what a process printed one reading gives. */
export const logPage = 20_000;

/** Of the commands of other processes so many characters are shown. */
const shownCommand = 100;

const named = z.string().min(1).describe('Its name, as process_start gave it.');

/** The tool `process_start {command}`: starts a program that runs on beside the conversation, such as a server (SHELL-18). */
export function processStartTool(processes: ProcessDriver): Tool {
  return tool({
    name: 'process_start',
    description:
      'Starts a command with bash in the root of the workspace and lets it run on beside the commands of the shell: a server, a watcher. Gives its name at once; process_logs reads what it prints and tells whether it still runs, process_stop ends it. A few run at a time. It sees the files as they are when it starts and as the next commands find them; what it writes is saved after the next command of the shell. Keep it in the foreground: a daemon that leaves its session is killed after the next command. It ends with the container, which stops after ten minutes without a call of shell or of these tools.',
    input: z.strictObject({ command: z.string().min(1).describe('What bash runs, as after `bash -c`.') }),
    hints: { destructive: true, openWorld: true },
    async call({ command }, call) {
      const started = await processes.start({
        command,
        id: call.id,
        turn: call.turn,
        signal: call.signal,
        notice: (text) => call.progress(text),
      });
      const said = (text: string): string => [...started.remarks, text].join('\n');
      if (started.process === null) return errorResult(said(`The process could not be started: ${started.reason}.`));
      return textResult(said(`Started the process ${started.process}.`), { value: { process: started.process } });
    },
  });
}

/** The tool `process_logs {process, from?}`: reads what a process printed, and whether it runs. Read-only. */
export function processLogsTool(processes: ProcessDriver): Tool {
  return tool({
    name: 'process_logs',
    description: `Reads what a process that process_start started has printed, stdout and stderr as one text, at most ${logPage} bytes at a time, and tells whether it runs or how it ended. Gives the place to go on from, for what it prints next. Of a long output the last mebibyte is kept.`,
    input: z.strictObject({
      process: named,
      from: z
        .int()
        .min(0)
        .optional()
        .describe('The byte to begin at, as the last reading gave it; absent: the end of what was printed.'),
    }),
    hints: { readOnly: true },
    async call({ process, from = null }) {
      const output = await processes.logs(process, from, logPage);
      if ('others' in output) return errorResult(notThere(process, output));
      const { end, first, total } = output;
      const isLast = output.from + output.bytes.length === total;
      const bytes = end !== null && isLast ? output.bytes : wholeCharacters(output.bytes);
      const next = output.from + bytes.length;
      const lost = from !== null && from < first ? ` Bytes ${from} to ${first - 1} are no longer kept.` : '';
      const state = `${end === null ? 'Running' : ended(end)}. Bytes ${output.from} to ${next} of ${total}; go on with from: ${next}.${lost}`;
      const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
      return textResult(`${state}\n${text}`, { value: { running: end === null, next, total } });
    },
  });
}

/** The tool `process_stop {process}`: kills a process and what it started. */
export function processStopTool(processes: ProcessDriver): Tool {
  return tool({
    name: 'process_stop',
    description:
      'Kills a process that process_start started, and everything in its session. What it printed can still be read. One that has ended by itself is left as it is, and that is said.',
    input: z.strictObject({ process: named }),
    hints: { destructive: true, idempotent: true },
    async call({ process }) {
      const before = await processes.stop(process);
      if ('others' in before) return errorResult(notThere(process, before));
      return textResult(before.end === null ? `Stopped the process ${process}.` : `It ran no more: ${ended(before.end)}.`);
    },
  });
}

function ended(end: ProcessEnd): string {
  return end.how === 'stopped' ? 'Stopped' : `Ended with exit code ${end.code}`;
}

function notThere(process: string, { others }: NoSuchProcess): string {
  const list = others.map(
    (other) =>
      `${other.process} (${other.end === null ? 'Running' : ended(other.end)}): ${[...other.command].slice(0, shownCommand).join('')}`,
  );
  return [
    `There is no process ${process}. It ends with its container, and only the newest that have ended are remembered: start it again if it is needed.`,
    ...(list.length === 0 ? ['There are no others.'] : ['There are:', ...list]),
  ].join('\n');
}
