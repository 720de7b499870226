import { scopePattern } from './protocol/index.ts';

/** Where Durable Objects may be kept, as the platform names it. */
export const jurisdictions = ['eu', 'us', 'fedramp', 'fedramp-high'] as const;

/** One of the platform's jurisdictions. */
export type Jurisdiction = (typeof jurisdictions)[number];

const childMark = '::sub::';

/** The longest scope of a nested session, in characters: with a participant it stays below the platform's 1,024 bytes of a name. */
const scopeLimit = 640;

/** True for a scope that addresses a session: a client's own, or a nested one `<scope>(::sub::<name>)*` (SUB-04). */
export function isScope(text: string): boolean {
  return text.length <= scopeLimit && text.split(childMark).every((part) => scopePattern.test(part));
}

/** True for the scope of a nested session. */
export function isChildScope(scope: string): boolean {
  return scope.includes(childMark);
}

/** True when `scope` is `root` or is nested in it, at any depth. */
export function isWithin(scope: string, root: string): boolean {
  return scope === root || scope.startsWith(root + childMark);
}
