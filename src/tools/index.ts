export * from './ask/index.ts';
export * from './files/index.ts';
export * from './notes/index.ts';
export * from './process/index.ts';
export * from './shell/index.ts';
export * from './time/index.ts';
