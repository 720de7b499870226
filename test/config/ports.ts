import type { ToolPorts } from '../../src/config/index.ts';
import { FakeClock } from '../../src/testing/index.ts';
import type { ProcessDriver, ShellDriver } from '../../src/tools/index.ts';
import { MemoryWorkspace } from '../sandbox/memory-workspace.ts';
import { fakeProcesses } from '../tools/process/fake-processes.ts';

/** A shell that runs nothing, with or without processes beside it. */
export function fakeShell(processes: ProcessDriver | null): ShellDriver {
  return {
    name: 'local',
    description: 'It only pretends.',
    processes,
    run: async () => ({ end: { how: 'exited', code: 0 }, remarks: [] }),
    settled: async () => {},
  };
}

/** What tools stand on, in memory. */
export function fakePorts(given: Partial<ToolPorts> = {}): ToolPorts {
  const [clock, files] = [new FakeClock(), new MemoryWorkspace()];
  return {
    clock,
    notes: { add: () => {}, list: () => [] },
    files,
    shell: fakeShell(fakeProcesses()),
    outputs: { keep: () => {}, read: () => null },
    ...given,
  };
}
