/** Models over one transport: Chat Completions, Anthropic Messages, OpenAI Responses, and what they share. */
export * from './ai-sdk/index.ts';
export * from './catalog/index.ts';
export * from './chat/chat-completions.ts';
export * from './chat/hosts.ts';
export type { CallIdRule } from './call-ids.ts';
export type { EndpointInit } from './endpoint.ts';
export * from './failover.ts';
export * from './fetch-transport.ts';
export { kindOf, leftOutNote } from './media.ts';
export * from './messages/anthropic-messages.ts';
export * from './responses/openai-responses.ts';
export * from './retry-after.ts';
export * from './retry.ts';
export * from './sse.ts';
export * from './timers.ts';
export * from './workers-ai/index.ts';
