import type { Json, JsonObject } from '../../core/index.ts';

/** A call as a Chat Completions request carries it; the arguments are JSON text. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A part of a content list. Hosts that stream reasoning as such parts get it back as one. */
export type ChatContentPart =
  | { readonly type: 'thinking'; readonly thinking: readonly { readonly type: 'text'; readonly text: string }[] }
  | { readonly type: 'text'; readonly text: string };

/** What a user message may hold beside text: bytes as base64, in a data URL or beside their format. */
export type ChatMediaPart =
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' } }
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }
  | {
      readonly type: 'file';
      readonly file: { readonly filename: string; readonly file_data: string } | { readonly file_id: string };
    };

/** A part of a user message's content list. */
export type ChatUserPart = { readonly type: 'text'; readonly text: string } | ChatMediaPart;

/** The content of a user message: a text where it holds nothing else, as every server takes it. */
export type ChatUserContent = string | readonly ChatUserPart[];

/** An assistant message. What stands beside role, content and calls is a host's own: reasoning, `prefix`. */
export interface ChatAssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly ChatContentPart[] | null;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly [extra: string]: unknown;
}

/** One message of a request. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: ChatUserContent }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | ChatAssistantMessage;

/** A tool as it is offered. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
}

/** The body of a request, in the order in which its keys are sent; a host's and the operator's own keys come last. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: true;
  readonly stream_options?: { readonly include_usage: true };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly tools?: readonly ChatTool[];
  readonly messages: readonly ChatMessage[];
  readonly [extra: string]: Json | readonly ChatTool[] | readonly ChatMessage[] | undefined;
}
