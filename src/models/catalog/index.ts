/** What is known of models, and what they cost. */
export * from './catalog.ts';
export * from './cost.ts';
export * from './find.ts';
export * from './types.ts';
