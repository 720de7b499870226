import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { isObject, type JsonObject, parseJson } from '../../core/index.ts';

/** A model object of the AI SDK's provider interface, as the packages `@ai-sdk/google`, `workers-ai-provider` and so on make it. */
export type AiSdkLanguageModel = LanguageModelV3 | LanguageModelV4;

/** One part of a stream, in either version of the interface. */
export type StreamPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

/** What a reply may hold on its way back. */
export type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** What a provider keeps with a part: by the provider's name, a JSON object. */
export type Metadata = { [provider: string]: JSONObject };

/** What a provider sent, as JSON: fields without a value are left out. An empty object where it is none. */
export function jsonOf(value: unknown): JsonObject {
  const json = parseJson(JSON.stringify(value) ?? '');
  return isObject(json) ? json : {};
}

/** Provider data as the options of a part; none where there is nothing in them. */
export function optionsOf(data: JsonObject | undefined): { providerOptions?: Metadata } {
  return data === undefined || Object.keys(data).length === 0 ? {} : { providerOptions: data as unknown as Metadata };
}
