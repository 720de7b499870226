import { systemClock } from '../../../src/core/index.ts';
import { EmbeddedDriver } from '../../../src/sandbox/index.ts';
import { shellContract } from '../../tools/shell/contract.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';
import { gaps } from './gaps.ts';

shellContract(async () => {
  const workspace = new MemoryWorkspace();
  return { driver: new EmbeddedDriver(workspace, systemClock), workspace };
}, gaps);
