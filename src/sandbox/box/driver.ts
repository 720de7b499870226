import type { Clock } from '../../core/index.ts';
import type {
  FileCause,
  ProcessCommand,
  ProcessDriver,
  ShellCommand,
  ShellDriver,
  ShellOutcome,
  TrackedWorkspace,
} from '../../tools/index.ts';
import type { BoxClient } from './client.ts';
import { BoxFiles, type Pushed } from './files.ts';
import type { BoxMemory } from './memory.ts';
import { BoxProcesses, type Ready, unstarted } from './processes.ts';

/** How long a box may take to start before those who watch are told, in ms. */
const coldStart = 1000;

/** How long files are held up for what a cancelled command changed, in ms: a box that does not answer must not take them away. */
const savingLimit = 10_000;

const restarted =
  'The container was started anew since the last command: what ran in it, and what was installed or kept outside the files of the workspace, is gone.';
const unfetched = 'What the command changed in files could not be fetched: look before you rely on it.';

/** What a driver over the server of a box needs. */
export interface BoxDriverInit {
  readonly name: 'container' | 'local';
  readonly client: BoxClient;
  readonly workspace: TrackedWorkspace;
  readonly memory: BoxMemory;
  readonly clock: Clock;
}

/**
 * Runs commands in a box: saves what changed there, hands over what changed in the workspace, runs, and saves what the command changed, also after a timeout. After a
 * cancel that goes on behind the call, so that it does not hold the cancel up, and ends before the next command begins or the files are settled.
 */
export class BoxDriver implements ShellDriver {
  readonly name: 'container' | 'local';
  readonly description =
    'Commands run in a Linux container of this session, without the internet, with bash, node, git and ripgrep. Files of the workspace are there and changes of them are saved after each command; folders named node_modules, .venv, __pycache__, target and .cache, and whatever is outside the workspace, last only as long as the container.';
  readonly processes: ProcessDriver;
  readonly #client: BoxClient;
  readonly #clock: Clock;
  readonly #files: BoxFiles;
  /** The saving after a cancel. */
  #behind: Promise<readonly string[]> = Promise.resolve([]);

  constructor({ name, client, workspace, memory, clock }: BoxDriverInit) {
    this.name = name;
    this.#client = client;
    this.#clock = clock;
    this.#files = new BoxFiles(client, workspace, memory);
    this.processes = new BoxProcesses(client, (command) => this.#ready(command));
  }

  async run(command: ShellCommand): Promise<ShellOutcome> {
    const { filled, remarks } = await this.#ready(command);
    if (!filled) {
      if (command.signal.aborted) return { end: { how: 'cancelled' }, remarks };
      const size = new TextEncoder().encode(command.command).length;
      return { end: { how: 'refused', reason: unstarted, size }, remarks };
    }
    const { id, timeout, signal } = command;
    const end = await this.#client.run({ id, command: command.command, timeout }, signal, (bytes) => command.output(bytes));
    const cause = { call: id, turn: command.turn };
    if (end.how === 'cancelled') this.#behind = this.#save(cause);
    else remarks.push(...(await this.#save(cause)));
    return { end, remarks };
  }

  async settled(): Promise<void> {
    const over = new AbortController();
    await Promise.race([this.#behind, this.#clock.sleep(savingLimit, over.signal)]);
    over.abort();
  }

  /** Makes the box ready for a command: what the one before changed is saved, it runs, and it has the files; `filled` is false when it cannot be had. */
  async #ready(command: ProcessCommand): Promise<Ready> {
    const remarks = [...(await this.#behind)];
    this.#behind = Promise.resolve([]);
    const filled = await this.#fill(command);
    if (filled !== null) remarks.push(...filled.remarks);
    if (filled?.restarted === true) remarks.push(restarted);
    return { filled: filled !== null, remarks };
  }

  /** The box, started, with what it had changed saved, and with the files; null when it cannot be had. */
  async #fill({ id, turn, signal, notice }: ProcessCommand): Promise<Pushed | null> {
    const waiting = new AbortController();
    const told = this.#clock.sleep(coldStart, waiting.signal).then(async () => {
      if (!waiting.signal.aborted) await notice('Starting the container…\n');
    });
    try {
      const boot = await this.#client.boot(signal);
      return await this.#files.push(boot, { call: id, turn });
    } catch {
      return null;
    } finally {
      waiting.abort();
      await told;
    }
  }

  #save(cause: FileCause): Promise<readonly string[]> {
    return this.#files.pull(cause).catch(() => [unfetched]);
  }
}
