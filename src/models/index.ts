/** Models over one transport: Chat Completions, and what every provider shares. */
export * from './chat/chat-completions.ts';
export * from './chat/hosts.ts';
export * from './fetch-transport.ts';
export * from './retry-after.ts';
export * from './retry.ts';
export * from './sse.ts';
export * from './timers.ts';
