export * from './demo-model.ts';
export { requests as demoRequests } from './requests.ts';
