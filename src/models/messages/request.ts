import type { JsonObject } from '../../core/index.ts';
import type { imageTypes } from '../media.ts';

type ImageType = (typeof imageTypes)[number];

/** Asks the server to keep what comes before, this block included, in its prompt cache. */
export interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral' };
}

/** Text. `citations` came with a reply's text and go back with it. */
export interface TextBlock extends CacheMark {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: unknown;
}

/** A file that the provider holds. */
interface FileSource {
  readonly type: 'file';
  readonly file_id: string;
}

/** An image by its bytes, or by the id of a file. */
export interface ImageBlock extends CacheMark {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: ImageType; readonly data: string } | FileSource;
}

/** A document, likewise. */
export interface DocumentBlock extends CacheMark {
  readonly type: 'document';
  readonly source: { readonly type: 'base64'; readonly media_type: 'application/pdf'; readonly data: string } | FileSource;
}

/** What a person or a tool shows. */
export type ContentBlock = TextBlock | ImageBlock | DocumentBlock;

/** The result of a call. */
export interface ToolResultBlock extends CacheMark {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: readonly ContentBlock[];
  readonly is_error?: true;
}

/** What a user message holds. */
export type UserBlock = ContentBlock | ToolResultBlock;

/** A thought with the signature that proves it unchanged; newer models leave its text out (ANT-03). */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

/** A thought that only the server can read. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

/** A call. What else it held when it came stands beside. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly [extra: string]: unknown;
}

/** What an assistant message holds; any other block goes back as it came. */
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | JsonObject;

/** One message of a request. */
export type MessagesTurn =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/** A tool as it is offered. */
export interface MessagesTool extends CacheMark {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** The body of a request, in the order in which its keys are sent; the operator's own come last. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly tools?: readonly MessagesTool[];
  readonly system?: readonly TextBlock[];
  readonly messages: readonly MessagesTurn[];
  readonly [extra: string]: unknown;
}
