export * from './client.ts';
export * from './driver.ts';
export * from './memory.ts';
