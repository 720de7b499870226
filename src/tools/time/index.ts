export * from './clock.ts';
export * from './wait.ts';
