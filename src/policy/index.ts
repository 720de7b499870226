/** Middleware that decides whether a call may run. */
export * from './answer-inline.ts';
export * from './approve-writes.ts';
