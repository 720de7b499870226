/** Middleware that decides whether a call of a tool or a model may be made. */
export * from './allowance.ts';
export * from './answer-inline.ts';
export * from './approve-writes.ts';
export * from './guard.ts';
export * from './rules/index.ts';
