import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from 'node:http';
import { boxServer } from '../../../container/server/server.ts';
import type { TreeLimits } from '../../../container/server/tree.ts';
import type { User } from '../../../container/server/user.ts';
import { BoxClient, BoxDriver } from '../../../src/sandbox/index.ts';
import { systemClock } from '../../../src/core/index.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';
import { heldMemory } from './held-memory.ts';

/** The server of a box as a process of this machine, over a folder of its own. */
export interface LocalBox {
  readonly root: string;
  readonly url: string;
  readonly client: BoxClient;
  readonly server: Server;
  readonly close: () => Promise<void>;
}

/** What a local box may be given. */
export interface LocalBoxInit {
  readonly user?: User | null;
  readonly limits?: TreeLimits;
  readonly root?: string;
  /** 0: any that is free. */
  readonly port?: number;
}

/** Starts a box. */
export async function startBox({ user = null, limits, root, port = 0 }: LocalBoxInit = {}): Promise<LocalBox> {
  const folder = root ?? mkdtempSync(join(tmpdir(), 'box-root-'));
  const env = { PATH: process.env.PATH ?? '', HOME: folder, LANG: 'C.UTF-8' };
  const server = boxServer({ root: folder, user, env, ...(limits === undefined ? {} : { limits }) });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The box has no port.');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    root: folder,
    url,
    server,
    client: new BoxClient((path, init) => fetch(url + path, init)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A driver on a box, and a workspace of its own. */
export function driverOn(box: LocalBox): { readonly driver: BoxDriver; readonly workspace: MemoryWorkspace } {
  const workspace = new MemoryWorkspace();
  return {
    driver: new BoxDriver({ name: 'local', client: box.client, workspace, memory: heldMemory(), clock: systemClock }),
    workspace,
  };
}
