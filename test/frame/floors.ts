import { dirname, posix } from 'node:path';
import type { Import, Source } from './source.ts';

/** The floors of docs/architecture.md, from the ground up; a folder that is not here has no place in the house. */
const floors: Readonly<Record<string, number>> = {
  core: 0,
  models: 1,
  tools: 1,
  policy: 1,
  context: 1,
  agents: 1,
  mcp: 1,
  testing: 1,
  workspace: 2,
  sandbox: 2,
  config: 2.5,
  session: 3,
  server: 4,
};

const entry = 'src/worker.ts';
const wire = 'src/session/protocol';

/** What code outside src may not hold and data may: the migrations, the version of the package. */
const data = /^(migrations\/.+\.sql|package\.json)$/;

/** What a file of `src` imports that its place does not allow, as sentences; empty when all is well. */
export function trespasses(file: Source): string[] {
  return file.imports.flatMap((one) => {
    const wrong = reason(file.path, one);
    return wrong === null ? [] : [`${file.path} imports ${one.specifier}: ${wrong}`];
  });
}

function reason(from: string, { specifier, namespace }: Import): string | null {
  if (!specifier.startsWith('.')) {
    if (from.startsWith('src/core/')) return 'the core imports nothing outside itself';
    return specifier === 'zod' && !namespace
      ? 'zod is imported as `import * as z`, since a named import bundles every locale'
      : null;
  }
  const to = posix.join(dirname(from), specifier);
  if (!to.startsWith('src/')) return data.test(to) ? null : 'it is outside src';
  if (inside(from, wire)) return inside(to, wire) || inside(to, 'src/core') ? null : 'the wire knows the core alone';
  if (inside(from, 'src/ui')) {
    return ['src/ui', 'src/core', wire].some((folder) => inside(to, folder))
      ? null
      : 'the page knows the wire and the core alone';
  }
  if (from === entry) return null;
  const [below, above] = [folderOf(to), folderOf(from)];
  const [lower, upper] = [floors[below], floors[above]];
  if (upper === undefined) return `${above} is on no floor`;
  if (lower === undefined) return `${below} is on no floor`;
  if (below === above) return null;
  if (lower === upper) return 'it is on the same floor';
  return lower < upper ? null : 'it is on a higher floor';
}

function inside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}
