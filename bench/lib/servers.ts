import type { LocalServer } from '../../scripts/lib/local-server.ts';
import { startModel } from './model.ts';
import { type ServerOptions, startServer } from './server.ts';
import { floor, peer, reins, type Target } from './target.ts';

/** Limits that a bench does not reach. */
const unlimited = { LIMIT_COMMANDS: '1000000', LIMIT_SOCKETS: '1000000' };

/** The servers of a measurement, each with the model server behind it. */
export interface Servers {
  readonly reins: LocalServer;
  readonly peer: LocalServer;
  readonly relay: Target;
  readonly joining: Target;
  readonly empty: Target;
  readonly ours: Target;
  readonly theirs: Target;
}

/** How Reins and the peer are started; the floors have nothing to choose. */
export interface Choices {
  readonly reins?: ServerOptions;
  readonly peer?: ServerOptions;
}

/** Starts Reins on a model server. */
export function startReins(model: string, options: ServerOptions = {}): Promise<LocalServer> {
  const vars = { HARNESS_OPENAI_URL: model, HARNESS_MODEL: 'scripted', ...unlimited };
  return startServer('reins', { ...options, vars });
}

/** Starts AIChatAgent on a model server. */
export function startPeer(model: string, options: ServerOptions = {}): Promise<LocalServer> {
  return startServer('peer', { ...options, vars: { MODEL_URL: model } });
}

/** Has work done with all servers running, and stops them. */
export async function withServers<T>(work: (servers: Servers) => Promise<T>, choices: Choices = {}): Promise<T> {
  const model = await startModel();
  const floors = await startServer('floors', { vars: { MODEL_URL: model.url } });
  const [ours, theirs] = [await startReins(model.url, choices.reins), await startPeer(model.url, choices.peer)];
  try {
    return await work({
      reins: ours,
      peer: theirs,
      relay: floor(floors.address, 'relay'),
      joining: floor(floors.address, 'joining'),
      empty: floor(floors.address, 'empty'),
      ours: reins(ours.address),
      theirs: peer(theirs.address),
    });
  } finally {
    await Promise.all([floors.stop(), ours.stop(), theirs.stop()]);
    model.stop();
  }
}

/** The entry of Reins with the doors of the bench, from the root of the repository. */
export const openReins = 'bench/servers/reins/worker.ts';
