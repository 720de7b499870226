import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { ToolSpec } from './tool.ts';

/** Settings of a Run that its models read (MODEL-07). */
export interface Options {
  /** The most tokens of one reply; absent: the provider's default. */
  readonly maxOutputTokens?: number;
  /** How many tool retries a turn may use before it fails (TOOL-18). */
  readonly toolRetries: number;
  /** The model's window in tokens, the host's figure: checked and handed on, nothing else (CTXW-01). */
  readonly contextWindow?: number;
  /** Per provider module, keyed by its lower-case name: merged last and shallowly into its request (MODEL-03, MODEL-04). */
  readonly provider: { readonly [name: string]: JsonObject };
}

/** The options of a Run that names none. */
export const defaultOptions: Options = { toolRetries: 3, provider: {} };

/** The fields of a Prompt. */
export interface PromptFields {
  readonly system: string | null;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly options: Options;
  readonly cancel: AbortSignal;
  /** True when the last message is the assistant's and is to be extended (MODEL-02). */
  readonly continue: boolean;
}

/** What a model is asked in one step. Made anew for each (LOOP-01). */
export class Prompt implements PromptFields {
  readonly system: string | null;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly options: Options;
  readonly cancel: AbortSignal;
  readonly continue: boolean;

  constructor(fields: PromptFields) {
    this.system = fields.system;
    this.messages = fields.messages;
    this.tools = fields.tools;
    this.options = fields.options;
    this.cancel = fields.cancel;
    this.continue = fields.continue;
  }

  /** The same prompt with some fields changed: the cancel signal and the continue flag cannot be forgotten (MW-06). */
  with(changes: Partial<Omit<PromptFields, 'cancel'>>): Prompt {
    return new Prompt({ ...this, ...changes });
  }
}
