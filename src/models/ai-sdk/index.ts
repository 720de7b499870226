/** Any model of the AI SDK's provider packages. */
export { AiSdkModel, type AiSdkModelInit } from './ai-sdk-model.ts';
export type { AiSdkLanguageModel } from './interface.ts';
export { withoutRedirects } from './without-redirects.ts';
