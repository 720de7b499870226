import {
  type Delta,
  type Finish,
  isObject,
  type Json,
  type JsonObject,
  ModelError,
  noUsage,
  type Usage,
} from '../../core/index.ts';
import type { ReplyDecoder } from '../endpoint.ts';
import { streamError } from '../errors.ts';
import type { Owner } from '../provider-data.ts';
import { numberIn, objectsIn } from '../read.ts';
import { type OpenBlock, openBlock } from './blocks.ts';

/** What the reasons to stop mean (ANT-08); any other one is `other`. */
const finishes: ReadonlyMap<Json | undefined, Finish> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'refusal'],
  // Where the reply is not gone on with after all (pauses.ts).
  ['pause_turn', 'other'],
]);

/** Reads the events of one reply. */
export class MessagesDecoder implements ReplyDecoder {
  readonly endMark = null;
  readonly #owner: Owner;
  readonly #blocks = new Map<number, OpenBlock>();
  #id: Json | undefined;
  #said = false;
  #finish: Finish | null = null;
  #usage: Usage | null = null;
  #done = false;
  /** The server paused in the middle of its own tools: no end of the reply, and nothing that the user's side could add. */
  paused = false;

  /** `owner` is whose data the reply carries. */
  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get finished(): boolean {
    return this.#finish !== null;
  }

  get done(): boolean {
    return this.#done;
  }

  add(event: JsonObject): readonly Delta[] {
    switch (event.type) {
      case 'message_start':
        return isObject(event.message) ? this.#start(event.message) : [];
      case 'content_block_start':
        return isObject(event.content_block) ? this.#open(event.content_block, numberIn(event.index)) : [];
      case 'content_block_delta':
        return isObject(event.delta) ? (this.#blocks.get(numberIn(event.index))?.add(event.delta) ?? []) : [];
      case 'content_block_stop':
        return this.#close(numberIn(event.index));
      case 'message_delta':
        return this.#stop(event);
      case 'message_stop':
        this.#done = true;
        return [];
      case 'error':
        throw streamError(event.error ?? event);
      default:
        return [];
    }
  }

  end(): readonly Delta[] {
    return [{ type: 'finish', finish: this.#finish ?? 'other' }];
  }

  /**
   * A gateway may send the first event twice, which changes nothing. One that lost its connection in the middle and asked
   * again sends another reply behind half of the first: the two are not one, and their signed thoughts would never be taken
   * back, so the stream counts as broken.
   */
  #start(message: JsonObject): readonly Delta[] {
    if (this.#said) {
      if (message.id === this.#id) return [];
      throw new ModelError('transport_error', "The model's server began another reply in the middle of one.");
    }
    this.#id = message.id;
    const blocks = objectsIn(message.content).flatMap((block, at) => [...this.#open(block, at), ...this.#close(at)]);
    return [...blocks, ...this.#stop({ delta: message, usage: message.usage ?? null })];
  }

  #open(block: JsonObject, index: number): readonly Delta[] {
    this.#said = true;
    const opened = openBlock(block, index, this.#owner);
    this.#blocks.set(index, opened);
    return opened.begin();
  }

  #close(index: number): readonly Delta[] {
    const deltas = this.#blocks.get(index)?.end() ?? [];
    this.#blocks.delete(index);
    return deltas;
  }

  #stop({ delta, usage }: JsonObject): readonly Delta[] {
    const reason = isObject(delta) ? delta.stop_reason : null;
    if (typeof reason === 'string') {
      this.#finish = finishes.get(reason) ?? 'other';
      this.paused = reason === 'pause_turn';
    }
    return isObject(usage) ? this.#count(usage) : [];
  }

  /** Counts are of the whole reply so far: a later one replaces an earlier one, and one that is left out stays (ANT-09). */
  #count(usage: JsonObject): readonly Delta[] {
    const before = this.#usage ?? noUsage;
    const count = (value: Json | undefined, known: number): number => (typeof value === 'number' ? value : known);
    const now: Usage = {
      input: count(usage.input_tokens, before.input),
      output: count(usage.output_tokens, before.output),
      cacheRead: count(usage.cache_read_input_tokens, before.cacheRead),
      cacheWrite: count(usage.cache_creation_input_tokens, before.cacheWrite),
    };
    if (JSON.stringify(now) === JSON.stringify(this.#usage)) return [];
    this.#usage = now;
    return [{ type: 'usage', usage: now }];
  }
}
