import { type Clock, MisuseError, type Tool } from '../core/index.ts';
import {
  applyPatchTool,
  askUserTool,
  clockTool,
  editFileTool,
  globTool,
  grepTool,
  listDirTool,
  type NoteStore,
  readFileTool,
  type OutputStore,
  processLogsTool,
  processStartTool,
  processStopTool,
  readNotesTool,
  readOutputTool,
  type ShellDriver,
  shellTool,
  waitTool,
  type Workspace,
  writeFileTool,
  writeNoteTool,
} from '../tools/index.ts';
import type { Mode } from './modes.ts';

/** What the tools stand on; the session gives its own. */
export interface ToolPorts {
  readonly clock: Clock;
  readonly notes: NoteStore;
  readonly files: Workspace;
  readonly shell: ShellDriver;
  readonly outputs: OutputStore;
}

/** The tools that a mode may name, and how each is made; null where what it stands on is not there. */
const makers: { readonly [name: string]: (ports: ToolPorts) => Tool | null } = {
  clock: ({ clock }) => clockTool(clock),
  wait: ({ clock }) => waitTool(clock),
  ask_user: () => askUserTool(),
  write_note: ({ notes }) => writeNoteTool(notes),
  read_notes: ({ notes }) => readNotesTool(notes),
  read_file: ({ files }) => readFileTool(files),
  write_file: ({ files }) => writeFileTool(files),
  edit_file: ({ files }) => editFileTool(files),
  apply_patch: ({ files }) => applyPatchTool(files),
  list_dir: ({ files }) => listDirTool(files),
  glob: ({ files, clock }) => globTool(files, clock),
  grep: ({ files, clock }) => grepTool(files, clock),
  shell: ({ shell, outputs }) => shellTool(shell, outputs),
  read_output: ({ outputs }) => readOutputTool(outputs),
  process_start: ({ shell: { processes } }) => processes && processStartTool(processes),
  process_logs: ({ shell: { processes } }) => processes && processLogsTool(processes),
  process_stop: ({ shell: { processes } }) => processes && processStopTool(processes),
};

/** The names that a mode may use. */
export const toolNames: readonly string[] = Object.keys(makers);

/**
 * The tools of a mode, in its order, without those that nothing here can run (SHELL-18); with `only`, those of them that a caller named (SESS-11).
 * @throws MisuseError `unknown_tool` for a mode that was not checked and names a tool that does not exist (C-15).
 */
export function toolsOf(mode: Mode, ports: ToolPorts, only: readonly string[] | null = null): readonly Tool[] {
  const wanted = only === null || only.includes('*') ? mode.tools : mode.tools.filter((name) => only.includes(name));
  return wanted.flatMap((name) => {
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (make === undefined)
      throw new MisuseError('unknown_tool', `The mode ${mode.name} names the tool ${name}, which does not exist.`);
    return make(ports) ?? [];
  });
}
