import type { JudgedCall, ToolReaders } from '../../../src/policy/index.ts';

/** A tool that runs its argument `command`, from /workspace on. */
export const shellReader: ToolReaders = {
  shell: { command: ({ command }) => (typeof command === 'string' ? { text: command, root: '/workspace' } : null) },
};

/** A call of that tool. */
export function shellCall(command: string): JudgedCall {
  return { tool: 'shell', hints: { destructive: true, openWorld: true }, input: { command }, mode: 'code' };
}
