export * from './client.ts';
export * from './driver.ts';
