import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../core/index.ts';
import type { Rule } from './rule.ts';

/** The version of a set of rules: the SHA-256 of their canonical JSON, in hexadecimal. Neither their order nor that of a list in them counts. */
export function versionOf(rules: readonly Rule[]): string {
  return createHash('sha256')
    .update(canonical(JSON.parse(JSON.stringify(rules)) as Json))
    .digest('hex');
}

/** Every list of a rule is a set, and so are the rules. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).toSorted().join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${fields.join()}}`;
}
