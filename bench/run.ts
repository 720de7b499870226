/**
 * `npm run bench`: measures Reins beside its floors and its peers and prints the figures. Names of parts run these alone: `npm run bench -- core`.
 * `--write` puts them into docs/performance.md as well, each part between its own marks.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdown } from './lib/table.ts';
import { part as core } from './parts/core.ts';
import { part as cost } from './parts/cost.ts';
import { part as deltas } from './parts/deltas.ts';
import { part as latency } from './parts/latency.ts';
import { part as size } from './parts/size.ts';

const parts = [deltas, latency, cost, core, size];
const document = join(import.meta.dirname, '../docs/performance.md');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean', default: false } } });
const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
if (unknown !== undefined) {
  console.error(`There is no part ${unknown}; the parts are ${parts.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}

for (const { name, measure } of parts) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const tables = await measure();
  const text = [`Measured by \`npm run bench -- ${name}\` on ${machine()}.`, ...tables.map(markdown)].join('\n\n');
  console.log(`\n## ${name}\n\n${text}`);
  if (values.write) writeFileSync(document, replaced(readFileSync(document, 'utf8'), name, text));
}
// Sockets of the servers' inspectors may linger.
process.exit();

/** When and on what kind of machine. */
function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory} GiB, ${process.platform}, Node ${process.versions.node}`;
}

function replaced(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- bench ${name} -->`, `<!-- /bench ${name} -->`];
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`docs/performance.md has no marks ${open} and ${close}.`);
  return `${page.slice(0, start)}${open}\n${text}\n${page.slice(end)}`;
}
