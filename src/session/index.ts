export * from './api.ts';
export { Session } from './session.ts';
