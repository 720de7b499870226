import { systemClock } from '../core/index.ts';
import { BoxClient, BoxDriver, EmbeddedDriver } from '../sandbox/index.ts';
import type { ShellDriver, TrackedWorkspace, Workspace } from '../tools/index.ts';
import { type Address, stubAt } from './address.ts';
import { rowBox } from './rows/box.ts';

/** What runs the commands of a session: its container where the Worker has them, else a bash in the isolate. */
export function shellOf(env: Env, address: Address, workspace: TrackedWorkspace, storage: DurableObjectStorage): ShellDriver {
  const box = boxAt(env, address);
  if (box === null) return new EmbeddedDriver(workspace, systemClock);
  const client = new BoxClient((path, init) => box.fetch(`http://box${path}`, init));
  return new BoxDriver({ name: 'container', client, workspace, memory: rowBox(storage), clock: systemClock });
}

/** The files as tools have them: whatever touches them first waits for what the commands before have changed. */
export function settledFiles(files: Workspace, shell: ShellDriver): Workspace {
  const after = async <T>(act: () => Promise<T>): Promise<T> => {
    await shell.settled();
    return act();
  };
  return {
    stat: (path) => after(() => files.stat(path)),
    read: (path, range) => after(() => files.read(path, range)),
    list: (folder, page) => after(() => files.list(folder, page)),
    change: (changes, cause) => after(() => files.change(changes, cause)),
    undo: (what) => after(() => files.undo(what)),
    seen: (path) => files.seen(path),
    saw: (path, rev) => files.saw(path, rev),
  };
}

/** Ends a session's container, if it has one, with all that is in it. One that cannot be reached ends by itself once nobody has asked for it a while. */
export async function endBox(env: Env, address: Address): Promise<void> {
  await boxAt(env, address)
    ?.fetch('http://box/destroy', { method: 'POST' })
    .catch(() => null);
}

function boxAt(env: Env, address: Address): DurableObjectStub | null {
  const boxes: DurableObjectNamespace | undefined = env.SANDBOX;
  return boxes === undefined ? null : stubAt(boxes, address);
}
