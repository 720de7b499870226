import type { Finish, JsonObject, ModelErrorKind } from '../../core/index.ts';

/** One thing that the demo model does in a reply. `pace` is in ms a word; absent: the model's own. */
export type Beat =
  | { readonly type: 'text'; readonly text: string; readonly pace?: number }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly input: JsonObject }
  | { readonly type: 'finish'; readonly finish: Finish }
  | { readonly type: 'fail'; readonly kind: ModelErrorKind; readonly message: string; readonly retryAfter: number | null };

/** A whole reply, in order. Without a finish it ends with `tool_calls` when it called, else with `stop`. */
export type Script = readonly Beat[];

/** Visible text. */
export function say(text: string, pace?: number): Beat {
  return { type: 'text', text, ...(pace === undefined ? {} : { pace }) };
}

/** Reasoning. */
export function muse(text: string): Beat {
  return { type: 'reasoning', text };
}

/** A tool call. */
export function call(name: string, input: JsonObject = {}): Beat {
  return { type: 'call', name, input };
}

/** The visible text of a script, joined. */
export function spoken(script: Script): string {
  return script.map((beat) => (beat.type === 'text' ? beat.text : '')).join('');
}
