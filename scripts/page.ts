import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const built = join(root, 'public/index.html');
const sources = ['src/ui', 'src/core', 'src/session/protocol', 'vite.config.ts', 'package-lock.json'];

/** Builds the page from `src/ui` into `public/`, unless what is there is younger than all that it is made of. Rejects with the build's error. */
export async function ensurePage(): Promise<void> {
  const age = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (sources.every((source) => newest(join(root, source)) < age)) return;
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
}

/** The latest change below a path, in ms since 1970; a folder's own time counts too, since it moves when a file goes away. */
function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
