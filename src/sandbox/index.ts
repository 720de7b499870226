export * from './box/index.ts';
export * from './embedded/index.ts';
export * from './which.ts';
