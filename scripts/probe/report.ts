import type { Facts } from '../../src/models/catalog/types.ts';
import { type Host, hosts } from '../../src/models/index.ts';

/** What a probe learnt. */
export interface Report {
  /** Sentences for people, in the order in which things were learnt. */
  readonly said: readonly string[];
  /** The row for `src/models/chat/hosts.ts`; null where the format has no such table. */
  readonly host: Partial<Host> | null;
  /** For `src/models/catalog/overrides.ts`. */
  readonly facts: Facts;
}

/** A report as it is printed; `model` is the name that the override gets. */
export function reportText({ said, host, facts }: Report, model: string): string {
  const row = host === null ? [] : ['', 'The row for src/models/chat/hosts.ts:', '', `  name: ${literal(inOrder(host), 2)},`];
  const fact = [
    '',
    'The line for src/models/catalog/overrides.ts:',
    '',
    `  ${literal({ models: [`<provider>/${model}`], facts }, null)},`,
  ];
  return [...said.map((line) => `- ${line}`), ...row, ...fact, ''].join('\n');
}

/** The fields as the table has them; those that were not learnt are left out. */
function inOrder(host: Partial<Host>): object {
  const fields: readonly [string, unknown][] = Object.entries(host);
  return Object.fromEntries(Object.keys(hosts.generic).flatMap((name) => fields.filter(([field]) => field === name)));
}

/** A value as TypeScript; over several lines from an indent, or on one for null. */
function literal(value: unknown, indent: number | null): string {
  if (value instanceof RegExp) return String(value);
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, null)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, item]) => `${key}: ${literal(item, null)}`);
  if (indent === null) return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  const space = ' '.repeat(indent);
  return `{\n${fields.map((field) => `${space}  ${field},\n`).join('')}${space}}`;
}
