export * from './driver.ts';
export * from './tools.ts';
