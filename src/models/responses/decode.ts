import { type Delta, type Finish, isObject, type JsonObject, type Usage } from '../../core/index.ts';
import type { ReplyDecoder } from '../endpoint.ts';
import { streamError } from '../errors.ts';
import { dataFor, type Owner } from '../provider-data.ts';
import { numberIn, objectsIn, textIn } from '../read.ts';
import { type OpenItem, openItem, withoutId } from './items.ts';

/** What the reasons of an incomplete reply mean (RESP-04); any other one is `other`. */
const incomplete: ReadonlyMap<string, Finish> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'refusal'],
]);

/** Reads the events of one reply. Items are told apart by their place in the output, since ids may change on the way. */
export class ResponsesDecoder implements ReplyDecoder {
  readonly endMark = null;
  readonly #owner: Owner;
  readonly #items = new Map<number, OpenItem | null>();
  /** Whole items that we do not know, until something else is said: they may become whole in any order. */
  readonly #unknown = new Map<number, JsonObject>();
  #called = false;
  #refused = false;
  #finish: Finish | null = null;

  /** `owner` is whose data the reply carries. */
  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get finished(): boolean {
    return this.#finish !== null;
  }

  get done(): boolean {
    return this.finished;
  }

  add(event: JsonObject): readonly Delta[] {
    const deltas = this.#read(event);
    return deltas.length === 0 ? [] : [...this.#tellUnknown(), ...deltas];
  }

  end(): readonly Delta[] {
    return [...this.#tellUnknown(), { type: 'finish', finish: this.#finish ?? 'other' }];
  }

  #read(event: JsonObject): readonly Delta[] {
    const index = numberIn(event.output_index);
    switch (event.type) {
      case 'response.output_item.added':
        return isObject(event.item) ? (this.#open(event.item, index)?.add(event) ?? []) : [];
      case 'response.output_item.done':
        return isObject(event.item) ? this.#close(event.item, index) : [];
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return isObject(event.response) ? this.#conclude(event.response, event.type) : [];
      case 'error':
        throw streamError(event.error ?? event);
      case 'response.refusal.delta':
        this.#refused = true;
        return this.#items.get(index)?.add(event) ?? [];
      default:
        return this.#items.get(index)?.add(event) ?? [];
    }
  }

  #open(item: JsonObject, index: number): OpenItem | null {
    this.#called ||= item.type === 'function_call';
    const opened = openItem(item, index, this.#owner);
    this.#items.set(index, opened);
    return opened;
  }

  #close(item: JsonObject, index: number): readonly Delta[] {
    const open = this.#items.has(index) ? this.#items.get(index) : this.#open(item, index);
    this.#refused ||= objectsIn(item.content).some(({ type }) => type === 'refusal');
    if (open) return open.end(item);
    this.#unknown.set(index, item);
    return [];
  }

  /** Servers that tell no items on the way tell them here. */
  #conclude(response: JsonObject, type: string): readonly Delta[] {
    if (type === 'response.failed' || response.status === 'failed') throw streamError(response.error ?? null);
    const output = this.#items.size === 0 ? objectsIn(response.output) : [];
    const items = output.flatMap((item, index) => this.#close(item, index));
    const cut = type === 'response.incomplete' || response.status === 'incomplete';
    this.#finish = cut ? finishOf(response.incomplete_details) : this.#refused ? 'refusal' : this.#called ? 'tool_calls' : 'stop';
    return isObject(response.usage) ? [...items, { type: 'usage', usage: decodeUsage(response.usage) }] : items;
  }

  /** In the order of the output, whatever the order in which they became whole. */
  #tellUnknown(): readonly Delta[] {
    const items = [...this.#unknown].sort(([a], [b]) => a - b);
    this.#unknown.clear();
    return items.map(([, item]) => ({ type: 'opaque', provider: dataFor(this.#owner, withoutId(item)) }));
  }
}

function finishOf(details: JsonObject[string] | undefined): Finish {
  return (isObject(details) ? incomplete.get(textIn(details.reason)) : undefined) ?? 'other';
}

/** Input counts what the cache gave and took, output counts reasoning. */
function decodeUsage(usage: JsonObject): Usage {
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return {
    input: numberIn(usage.input_tokens),
    output: numberIn(usage.output_tokens),
    cacheRead: numberIn(details.cached_tokens),
    cacheWrite: numberIn(details.cache_write_tokens),
  };
}
