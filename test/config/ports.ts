import type { ToolPorts } from '../../src/config/index.ts';
import { EmbeddedDriver } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { MemoryWorkspace } from '../sandbox/memory-workspace.ts';

/** What tools stand on, in memory. */
export function fakePorts(given: Partial<ToolPorts> = {}): ToolPorts {
  const [clock, files] = [new FakeClock(), new MemoryWorkspace()];
  return {
    clock,
    notes: { add: () => {}, list: () => [] },
    files,
    shell: new EmbeddedDriver(files, clock),
    outputs: { keep: () => {}, read: () => null },
    ...given,
  };
}
