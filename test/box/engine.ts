import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRootfs } from './rootfs.ts';

/** The images, as the engine calls them. */
export const images = { box: 'localhost/reins-box:test', sidecar: 'localhost/reins-sidecar:test' } as const;

/** What a machine without the right to raise limits, or with cgroups of both versions, needs. */
const configuration = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
`;

/** A container engine with a store of its own, which goes with it: podman, spoken to as workerd speaks to Docker. */
export class Engine {
  /** Where it listens: the path of a socket. */
  readonly socket: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Nothing of what else runs on this machine is touched. */
  readonly #store: readonly string[];
  #service: ChildProcess | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, 'engine.sock');
    this.#store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
    this.#env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
  }

  /** Starts one and makes its images. Rejects with what it said where this machine cannot run it. */
  static async start(): Promise<Engine> {
    const engine = new Engine(mkdtempSync(join(tmpdir(), 'reins-engine-')));
    try {
      writeFileSync(join(engine.#folder, 'containers.conf'), configuration);
      engine.#import();
      await engine.#serve();
      return engine;
    } catch (error) {
      await engine.stop();
      throw error;
    }
  }

  /** How many boxes there are. */
  boxes(): number {
    return this.#made(images.box).length;
  }

  /** Kills every box, as a machine that is lost. Gives how many there were. */
  killBoxes(): number {
    const made = this.#made(images.box);
    if (made.length > 0) this.#podman('rm', '--force', '--time', '0', ...made);
    return made.length;
  }

  async stop(): Promise<void> {
    // The proxies last: the containers live in their network.
    for (const image of [images.box, images.sidecar]) {
      const made = this.#made(image);
      if (made.length > 0) this.#podman('rm', '--force', '--time', '0', ...made);
    }
    if (this.#service !== null) {
      const ended = once(this.#service, 'exit');
      this.#service.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #import(): void {
    const rootfs = join(this.#folder, 'rootfs');
    mkdirSync(rootfs);
    makeRootfs(rootfs);
    cpSync(join(import.meta.dirname, 'sidecar.mjs'), join(rootfs, 'box/sidecar.mjs'));
    const archive = join(this.#folder, 'rootfs.tar');
    execFileSync('tar', ['--create', '--file', archive, '--directory', rootfs, '.']);
    const image = (name: string, port: number, ...program: string[]): string =>
      this.#podman('import', '--change', `EXPOSE ${port}`, '--change', `ENTRYPOINT ${JSON.stringify(program)}`, archive, name);
    image(images.box, 8080, '/usr/bin/tini', '--', '/usr/local/bin/node', '/box/container/server/main.ts');
    image(images.sidecar, 39_001, '/usr/local/bin/node', '/box/sidecar.mjs');
    for (const file of [rootfs, archive]) rmSync(file, { recursive: true });
  }

  /** The containers of an image, by the engine's numbers. */
  #made(image: string): readonly string[] {
    return this.#podman('ps', '--all', '--quiet', '--filter', `ancestor=${image}`).split('\n').filter(Boolean);
  }

  async #serve(): Promise<void> {
    const address = `unix://${this.socket}`;
    this.#service = spawn('podman', [...this.#store, 'system', 'service', '--time=0', address], {
      env: this.#env,
      stdio: 'ignore',
    });
    const failed = once(this.#service, 'exit').then(() => {
      throw new Error('podman system service ended.');
    });
    await Promise.race([failed, this.#answers()]);
    failed.catch(() => {});
  }

  async #answers(): Promise<void> {
    for (;;) {
      const answered = await new Promise<boolean>((resolve) => {
        const asked = request({ socketPath: this.socket, path: '/_ping' }, (response) => resolve(response.statusCode === 200));
        asked.on('error', () => resolve(false)).end();
      });
      if (answered) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #podman(...args: string[]): string {
    return execFileSync('podman', [...this.#store, ...args], {
      env: this.#env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
