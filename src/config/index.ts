/** The operator's choices: which model speaks, in which modes, with which tools. */
export * from './authority.ts';
export * from './check.ts';
export * from './describe.ts';
export * from './env.ts';
export * from './limits.ts';
export * from './models.ts';
export * from './modes.ts';
export * from './permissions.ts';
export * from './policy.ts';
export * from './problem.ts';
export * from './providers.ts';
export * from './tools.ts';
