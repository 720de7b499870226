import { type Delta, type Finish, isObject, type Json, type JsonObject, ModelError, type Usage } from '../../core/index.ts';
import type { ReplyDecoder } from '../endpoint.ts';
import { streamError } from '../errors.ts';
import type { Owner } from '../provider-data.ts';
import { numberIn, objectsIn, textDeltas } from '../read.ts';
import { reasoningData, ReasoningDetails, seenReasoning } from './reasoning.ts';

/** What the names of a finish mean (CC-06); any other name is `other`. */
const finishes: ReadonlyMap<Json | undefined, Finish> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'refusal'],
]);

/** Reads the chunks of one reply. Fragments of calls stay raw: the core joins them (CC-05). */
export class ChatDecoder implements ReplyDecoder {
  readonly done = false;
  readonly endMark = '[DONE]';
  readonly #owner: Owner;
  readonly #details = new ReasoningDetails();
  #finish: Finish | null = null;
  #refused = false;
  #usage: Usage | null = null;

  /** `owner` is whose data the reply carries. */
  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get finished(): boolean {
    return this.#finish !== null;
  }

  add(chunk: JsonObject): Delta[] {
    if (chunk.error !== undefined && chunk.error !== null) throw streamError(chunk.error);
    if (chunk.object === 'error') throw streamError(chunk);
    const choice = objectsIn(chunk.choices).find(({ index }) => index === 0 || typeof index !== 'number') ?? bareChoice(chunk);
    const deltas = choice === undefined ? [] : this.#choice(choice);
    return [...deltas, ...this.#usageOf(chunk, choice)];
  }

  /** The last delta. A server that ended its stream by `[DONE]` without a reason ended it for a reason unknown. */
  end(): Delta[] {
    return [{ type: 'finish', finish: this.#refused ? 'refusal' : (this.#finish ?? 'other') }];
  }

  #choice(choice: JsonObject): Delta[] {
    const deltas = isObject(choice.delta) ? this.#delta(choice.delta) : [];
    const reason = choice.finish_reason;
    if (reason === 'error') throw new ModelError('model_error', 'The model reported that its reply failed.');
    if (typeof reason === 'string' && reason !== '') this.#finish = finishes.get(reason) ?? 'other';
    return deltas;
  }

  #delta(delta: JsonObject): Delta[] {
    const refusal = textDeltas(delta.refusal);
    this.#refused ||= refusal.length > 0;
    return [...this.#reasoning(delta), ...contentDeltas(delta.content, this.#owner), ...refusal, ...callDeltas(delta.tool_calls)];
  }

  #reasoning(delta: JsonObject): Delta[] {
    const seen = seenReasoning(delta);
    const details = this.#details.add(delta);
    if (seen === null && details === null) return [];
    const provider = reasoningData(seen?.field ?? 'reasoning', details, this.#owner);
    return [{ type: 'reasoning', text: seen?.text ?? '', provider }];
  }

  /** The usage, wherever it stands: only one that differs from the last, since some hosts repeat it in every chunk (CC-04). */
  #usageOf(chunk: JsonObject, choice: JsonObject | undefined): Delta[] {
    const groq = isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
    const found = [chunk.usage, groq, choice?.usage].find(isObject);
    if (found === undefined) return [];
    const usage = decodeUsage(found);
    if (JSON.stringify(usage) === JSON.stringify(this.#usage)) return [];
    this.#usage = usage;
    return [{ type: 'usage', usage }];
  }
}

/** What the older models of Workers AI say, without a choice around it: text in `response`, and calls that are whole. */
function bareChoice({ response, tool_calls: calls, finish_reason: reason = null }: JsonObject): JsonObject | undefined {
  if (response === undefined && calls === undefined) return undefined;
  // A token that is a number comes as one.
  const content = typeof response === 'number' ? String(response) : (response ?? null);
  return { delta: { content, tool_calls: objectsIn(calls).map(wrappedCall) }, finish_reason: reason };
}

/** A call whose name and arguments stand beside its id, in the form of the API. */
function wrappedCall(call: JsonObject): JsonObject {
  return typeof call.name === 'string' ? { ...call, function: { name: call.name, arguments: call.arguments ?? {} } } : call;
}

/** Input counts what was read from the cache, as these hosts do; output counts reasoning, which some report in the total alone. */
function decodeUsage(usage: JsonObject): Usage {
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const input = numberIn(usage.prompt_tokens);
  return {
    input,
    output: Math.max(numberIn(usage.completion_tokens), numberIn(usage.total_tokens) - input),
    cacheRead: numberIn(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWrite: numberIn(details.cache_write_tokens),
  };
}

/** A text, or a list of parts among which may be reasoning. */
function contentDeltas(content: Json | undefined, owner: Owner): readonly Delta[] {
  if (!Array.isArray(content)) return textDeltas(content);
  return objectsIn(content).flatMap((part): readonly Delta[] => {
    if (part.type !== 'thinking') return textDeltas(part.text);
    const pieces = Array.isArray(part.thinking) ? objectsIn(part.thinking).map((piece) => piece.text) : [part.thinking];
    const text = pieces.filter((piece) => typeof piece === 'string').join('');
    return text === '' ? [] : [{ type: 'reasoning', text, provider: reasoningData('content', null, owner) }];
  });
}

function callDeltas(calls: Json | undefined): Delta[] {
  return objectsIn(calls).flatMap((call): Delta[] => {
    const head = isObject(call.function) ? call.function : {};
    const fragment = {
      ...(typeof call.index === 'number' ? { index: call.index } : {}),
      ...(typeof call.id === 'string' && call.id !== '' ? { id: call.id } : {}),
      ...(typeof head.name === 'string' && head.name !== '' ? { name: head.name } : {}),
      ...argumentsOf(head.arguments),
    };
    const says = 'id' in fragment || 'name' in fragment || 'args' in fragment;
    return says ? [{ type: 'tool_call', ...fragment }] : [];
  });
}

/** Argument text as it is; an object in its place is written out. */
function argumentsOf(value: Json | undefined): { readonly args?: string } {
  if (typeof value === 'string') return value === '' ? {} : { args: value };
  return isObject(value) ? { args: JSON.stringify(value) } : {};
}
