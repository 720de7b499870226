import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { quiet } from '../../scripts/lib/quiet.ts';
import { type Engine, images } from './engine.ts';

const root = join(import.meta.dirname, '../..');
const wrangler = createRequire(import.meta.url).resolve('wrangler');

/** Reins in a runtime that starts its containers on an engine. `vars` are variables of the Worker. */
export async function startReins(engine: Engine, vars: { readonly [name: string]: string }): Promise<Miniflare> {
  const reins = new Miniflare(
    convertV4MiniflareOptions({
      modules: bundle(),
      compatibilityDate: compatibilityDate(),
      bindings: { ...vars },
      r2Buckets: ['FILES'],
      durableObjects: {
        SESSIONS: { className: 'Session', useSQLite: true },
        DIRECTORY: { className: 'Directory', useSQLite: true },
        SANDBOX: { className: 'Sandbox', useSQLite: true, container: { imageName: images.box } },
      },
      containerEngine: {
        localDocker: { socketPath: `unix://${engine.socket}`, containerEgressInterceptorImage: images.sidecar },
      },
    }),
  );
  await reins.ready;
  return reins;
}

function compatibilityDate(): string {
  const [, date] = /^compatibility_date = "(.+)"$/m.exec(readFileSync(join(root, 'wrangler.toml'), 'utf8')) ?? [];
  if (date === undefined) throw new Error('wrangler.toml names no compatibility date.');
  return date;
}

/** The modules of the suite's Worker, bundled as they are for a deployment. */
function bundle(): { readonly type: 'ESModule' | 'Text'; readonly path: string; readonly contents: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'reins-bundle-'));
  try {
    const entry = join(import.meta.dirname, 'worker.ts');
    const args = ['--no-warnings', wrangler, 'deploy', '--dry-run', '--outdir', folder, entry];
    execFileSync(process.execPath, args, { cwd: root, env: { ...process.env, ...quiet }, stdio: ['ignore', 'ignore', 'pipe'] });
    const files = readdirSync(folder).filter((name) => /\.(js|sql)$/.test(name));
    // The entry is the first.
    return files
      .toSorted((a, b) => Number(b.endsWith('.js')) - Number(a.endsWith('.js')))
      .map((path) => ({
        type: path.endsWith('.js') ? 'ESModule' : 'Text',
        path,
        contents: readFileSync(join(folder, path), 'utf8'),
      }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
