import type { Finish, MediaPart, ProviderData } from './message.ts';
import type { Prompt } from './prompt.ts';
import type { Usage } from './usage.ts';

/**
 * One piece of a streamed reply, as a provider gives it. Fragments of a tool call are raw: the core joins them (by index,
 * then id, then the last open call) and parses them. Texts in a row are one part until a `border` ends it. `provider` is
 * data of the part in progress, joined by key. A usage replaces the one before it, it is never added (CC-04).
 */
export type Delta =
  | { readonly type: 'text'; readonly text: string; readonly provider?: ProviderData }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider?: ProviderData }
  | { readonly type: 'border' }
  | {
      readonly type: 'tool_call';
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly args?: string;
      readonly provider?: ProviderData;
    }
  | { readonly type: 'opaque'; readonly provider: ProviderData }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly finish: Finish };

/**
 * A language model. `stream` gives the deltas of the reply to one prompt, and ends when the reply is whole.
 * @throws ModelError for failures at run time, MisuseError for options it cannot honour, Cancelled when `prompt.cancel` fires.
 */
export interface Model {
  stream(prompt: Prompt): AsyncIterable<Delta>;
  /** False when it is known before any request that this model cannot continue a reply (INTR-21). Absent: not known. */
  readonly continues?: boolean;
  /** False for media that this model is known not to take: in its prompts a note stands for them (ATT-11). Absent: not known. */
  takes?(part: MediaPart): boolean;
}
