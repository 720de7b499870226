/** Rules as data, and what they say of a call. */
export * from './call.ts';
export { fitsText } from './pattern.ts';
export * from './policy.ts';
export * from './rule.ts';
export * from './verdict.ts';
