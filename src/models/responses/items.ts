import type { Delta, JsonObject } from '../../core/index.ts';
import { dataFor, type Owner } from '../provider-data.ts';
import { numberIn, objectsIn, textDeltas, textIn } from '../read.ts';

/** An output item of a reply as it comes in: each step gives the deltas it makes. */
export interface OpenItem {
  /** Takes an event that names the item. */
  add(event: JsonObject): readonly Delta[];
  /** The item is whole: this is what it is. */
  end(item: JsonObject): readonly Delta[];
}

/** Opens an output item; null for one that we do not know, which counts only once it is whole. */
export function openItem(item: JsonObject, index: number, owner: Owner): OpenItem | null {
  switch (item.type) {
    case 'message':
      return new MessageItem(owner);
    case 'reasoning':
      return new ReasoningItem(owner);
    case 'function_call':
      return new CallItem(item, index, owner);
    default:
      return null;
  }
}

/**
 * An item without its id. Nothing is stored at the provider, so an id names nothing there; servers refuse one that they do
 * not find or whose neighbour is gone, and some proxies change it between two events of one item.
 */
export function withoutId({ id: _id, ...item }: JsonObject): JsonObject {
  return item;
}

/** Texts that come in pieces and once more whole: a whole one that did not come in pieces is not lost. */
class Pieces {
  readonly #known = new Map<string, string>();

  /** A piece of the text `key`; gives it. */
  grow(key: string, piece: string): string {
    this.#known.set(key, this.#of(key) + piece);
    return piece;
  }

  /** The whole text `key`; gives what is missing of it. */
  complete(key: string, whole: string): string {
    const known = this.#of(key);
    return whole.startsWith(known) ? this.grow(key, whole.slice(known.length)) : '';
  }

  #of(key: string): string {
    return this.#known.get(key) ?? '';
  }
}

/** Text and refusals, which are text too (CC-07). A message may say what part it plays in the reply: its phase. */
class MessageItem implements OpenItem {
  readonly #owner: Owner;
  readonly #pieces = new Pieces();

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  add(event: JsonObject): readonly Delta[] {
    const said = event.type === 'response.output_text.delta' || event.type === 'response.refusal.delta';
    return said ? textDeltas(this.#pieces.grow(String(numberIn(event.content_index)), textIn(event.delta))) : [];
  }

  end(item: JsonObject): readonly Delta[] {
    const rest = objectsIn(item.content).flatMap((part, at) =>
      textDeltas(this.#pieces.complete(String(at), textIn(part.text ?? part.refusal))),
    );
    const phase = textIn(item.phase);
    const data: readonly Delta[] = phase === '' ? [] : [{ type: 'text', text: '', provider: dataFor(this.#owner, { phase }) }];
    return [...rest, ...data, { type: 'border' }];
  }
}

/** Between two summaries of one item of reasoning. */
const paragraph = '\n\n';

/** Reasoning: summaries of it, or the text itself (RESP-05). It goes back whole, if it holds what a server can read (RESP-03). */
class ReasoningItem implements OpenItem {
  readonly #owner: Owner;
  readonly #pieces = new Pieces();
  #last: string | null = null;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  add(event: JsonObject): readonly Delta[] {
    const list = event.type === 'response.reasoning_summary_text.delta' ? 'summary' : 'content';
    if (list === 'content' && event.type !== 'response.reasoning_text.delta') return [];
    const key = `${list} ${numberIn(event[`${list}_index`])}`;
    return this.#thought(key, this.#pieces.grow(key, textIn(event.delta)));
  }

  end(item: JsonObject): readonly Delta[] {
    const rest = (['summary', 'content'] as const).flatMap((list) =>
      objectsIn(item[list]).flatMap(({ text }, at) => {
        const key = `${list} ${at}`;
        return this.#thought(key, this.#pieces.complete(key, textIn(text)));
      }),
    );
    const readable = textIn(item.encrypted_content) !== '' || objectsIn(item.content).length > 0;
    const data: readonly Delta[] = readable
      ? [{ type: 'reasoning', text: '', provider: dataFor(this.#owner, withoutId(item)) }]
      : [];
    return [...rest, ...data, { type: 'border' }];
  }

  #thought(key: string, text: string): readonly Delta[] {
    if (text === '') return [];
    const opening = this.#last !== null && this.#last !== key ? paragraph : '';
    this.#last = key;
    return [{ type: 'reasoning', text: opening + text }];
  }
}

/** A call. Results are matched by its call id; its item id is another one (RESP-02). */
class CallItem implements OpenItem {
  readonly #index: number;
  readonly #owner: Owner;
  readonly #pieces = new Pieces();
  #head: JsonObject | null;

  constructor(start: JsonObject, index: number, owner: Owner) {
    this.#head = start;
    this.#index = index;
    this.#owner = owner;
  }

  add(event: JsonObject): readonly Delta[] {
    if (event.type === 'response.output_item.added') return this.#named();
    if (event.type !== 'response.function_call_arguments.delta') return [];
    return this.#args(this.#pieces.grow('', textIn(event.delta)));
  }

  end(item: JsonObject): readonly Delta[] {
    const { type: _type, id: _id, status: _status, call_id: _callId, name: _name, arguments: args, ...extra } = item;
    const rest = this.#args(this.#pieces.complete('', textIn(args)));
    if (Object.keys(extra).length === 0) return [...this.#named(), ...rest];
    return [...this.#named(), ...rest, { type: 'tool_call', index: this.#index, provider: dataFor(this.#owner, extra) }];
  }

  /** The head of the call, once. */
  #named(): readonly Delta[] {
    const head = this.#head;
    this.#head = null;
    if (head === null) return [];
    return [{ type: 'tool_call', index: this.#index, id: textIn(head.call_id), name: textIn(head.name) }];
  }

  #args(args: string): readonly Delta[] {
    return args === '' ? [] : [{ type: 'tool_call', index: this.#index, args }];
  }
}
