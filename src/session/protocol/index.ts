export * from './commands.ts';
export * from './cursor.ts';
export * from './nesting.ts';
export * from './problem.ts';
export * from './reduce.ts';
export * from './wire.ts';
