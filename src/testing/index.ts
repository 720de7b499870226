/** Fakes for tests without a network (TEST-01 to TEST-04): scripted models and transports, a call and a prompt made by hand, a clock that stands still. */
export * from './counting-ids.ts';
export * from './deltas.ts';
export * from './fake-clock.ts';
export * from './fake-model.ts';
export * from './fake-transport.ts';
export * from './gate.ts';
export * from './test-call.ts';
export * from './test-prompt.ts';
