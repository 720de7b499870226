export * from './cut.ts';
export * from './driver.ts';
export * from './outputs.ts';
export * from './shell.ts';
