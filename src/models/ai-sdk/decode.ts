import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Delta, type Finish, ModelError, parseJson, type Usage } from '../../core/index.ts';
import { dataFor, type Owner } from '../provider-data.ts';
import { type AssistantContent, jsonOf, type Metadata, optionsOf, type StreamPart } from './interface.ts';
import { storedFile, storedPart } from './stored.ts';

/** What the reasons to stop mean; `error` and `interrupted` end no reply. */
const finishes: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool-calls', 'tool_calls'],
  ['content-filter', 'refusal'],
]);

/** A text or a thought. Its metadata may come before, with or after its text: the newest count, as a whole. */
interface Block {
  readonly type: 'text' | 'reasoning';
  metadata: Metadata | undefined;
  /** True while `metadata` holds what no delta has told. */
  untold: boolean;
}

/** A call in the making. One that the provider makes itself is none of ours: it goes back to the provider, whole. */
interface Call {
  readonly ours: boolean;
  /** False when the fragments are no JSON, so that only the whole input counts. */
  readonly streams: boolean;
  sent: string;
}

type Part<T extends StreamPart['type']> = Extract<StreamPart, { readonly type: T }>;

/** Reads the parts of one reply. What is neither text, thought nor call of ours is kept for the way back as it is (RESP-07). */
export class PartDecoder {
  /** True once the provider named its reason to stop. */
  finished = false;
  readonly #owner: Owner;
  readonly #blocks = new Map<string, Block>();
  readonly #calls = new Map<string, Call>();
  /** The block whose part is the last one so far, and takes more. */
  #open: Block | null = null;

  /** `owner` is whose data the reply carries. */
  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /**
   * The deltas of one part; none for one that says nothing.
   * @throws what the provider reports as an error; ModelError for an end that is none, or a question that nobody here can answer.
   */
  add(part: StreamPart): readonly Delta[] {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#begin(part);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#grow(part);
      case 'text-end':
      case 'reasoning-end':
        return this.#end(part);
      case 'tool-input-start':
        return this.#startCall(part);
      case 'tool-input-delta':
        return this.#growCall(part);
      case 'tool-call':
        return this.#call(part);
      case 'tool-result':
        return part.preliminary === true ? [] : this.#keep(providerResult(part));
      case 'file':
      case 'reasoning-file':
        return this.#keep({ type: part.type, mediaType: part.mediaType, data: storedFile(part.data), ...kept(part) });
      case 'custom':
        return this.#keep({ type: part.type, kind: part.kind, ...kept(part) });
      case 'tool-approval-request':
        throw new ModelError(
          'model_error',
          "The model's provider asks whether it may call a tool of its own. Nobody here can answer: let it ask never.",
        );
      case 'finish':
        return this.#finish(part);
      case 'error':
        throw part.error;
      default:
        return [];
    }
  }

  #begin({ type, id, providerMetadata }: Part<'text-start' | 'reasoning-start'>): readonly Delta[] {
    const block: Block = {
      type: type === 'text-start' ? 'text' : 'reasoning',
      metadata: providerMetadata,
      untold: providerMetadata !== undefined,
    };
    this.#blocks.set(id, block);
    return [];
  }

  #grow({ type, id, delta, providerMetadata }: Part<'text-delta' | 'reasoning-delta'>): readonly Delta[] {
    const block = this.#block(id, type === 'text-delta' ? 'text' : 'reasoning', providerMetadata);
    if (delta === '') return [];
    return [...this.#turnTo(block), this.#delta(block, delta)];
  }

  #end({ type, id, providerMetadata }: Part<'text-end' | 'reasoning-end'>): readonly Delta[] {
    const block = this.#block(id, type === 'text-end' ? 'text' : 'reasoning', providerMetadata);
    this.#blocks.delete(id);
    return [...(block.untold ? this.#tell(block) : []), ...(this.#open === block ? this.#turnTo(null) : [])];
  }

  #block(id: string, type: Block['type'], metadata: Metadata | undefined): Block {
    const block = this.#blocks.get(id) ?? { type, metadata: undefined, untold: false };
    this.#blocks.set(id, block);
    if (metadata === undefined) return block;
    block.metadata = metadata;
    block.untold = true;
    return block;
  }

  /** Ends the part before, if another block goes on. */
  #turnTo(block: Block | null): readonly Delta[] {
    const border: readonly Delta[] = this.#open === null || this.#open === block ? [] : [{ type: 'border' }];
    this.#open = block;
    return border;
  }

  /** Thoughts always say whose they are: another model's do not go back (MODEL-11). */
  #delta(block: Block, text: string): Delta {
    const told = block.untold || (block.type === 'reasoning' && text !== '');
    block.untold = false;
    const provider = dataFor(this.#owner, jsonOf(block.metadata ?? {}));
    return { type: block.type, text, ...(told ? { provider } : {}) };
  }

  /** Metadata without a text: a thought may be empty, a text is kept as it is. */
  #tell(block: Block): readonly Delta[] {
    if (this.#open === block) return [this.#delta(block, '')];
    if (block.type === 'reasoning') return [...this.#turnTo(block), this.#delta(block, '')];
    return this.#keep({ type: 'text', text: '', ...optionsOf(jsonOf(block.metadata)) });
  }

  #startCall(part: Part<'tool-input-start'>): readonly Delta[] {
    const ours = part.providerExecuted !== true;
    this.#calls.set(part.id, { ours, streams: !('inputEncoding' in part) || part.inputEncoding !== 'text', sent: '' });
    if (!ours) return [];
    this.#open = null;
    return [{ type: 'tool_call', id: part.id, name: part.toolName }];
  }

  #growCall({ id, delta }: Part<'tool-input-delta'>): readonly Delta[] {
    const call = this.#calls.get(id);
    if (call === undefined || !call.ours || !call.streams || delta === '') return [];
    call.sent += delta;
    return [{ type: 'tool_call', id, args: delta }];
  }

  /** The whole call: what of its input did not come in fragments, and its metadata. */
  #call(part: Part<'tool-call'>): readonly Delta[] {
    const { toolCallId: id, toolName: name } = part;
    const sent = this.#calls.get(id)?.sent ?? '';
    const ours = part.providerExecuted !== true && this.#calls.get(id)?.ours !== false;
    this.#calls.delete(id);
    if (!ours) {
      const input = parseJson(part.input) ?? part.input;
      return this.#keep({ type: 'tool-call', toolCallId: id, toolName: name, input, providerExecuted: true, ...kept(part) });
    }
    this.#open = null;
    const args = part.input.startsWith(sent) ? part.input.slice(sent.length) : '';
    const metadata = part.providerMetadata;
    return [
      {
        type: 'tool_call',
        id,
        name,
        ...(args === '' ? {} : { args }),
        ...(metadata === undefined ? {} : { provider: dataFor(this.#owner, jsonOf(metadata)) }),
      },
    ];
  }

  #keep(part: AssistantContent): readonly Delta[] {
    this.#open = null;
    return [{ type: 'opaque', provider: dataFor(this.#owner, storedPart(part)) }];
  }

  #finish({ finishReason, usage }: Part<'finish'>): readonly Delta[] {
    const { unified } = finishReason;
    if (unified === 'error') throw new ModelError('model_error', 'The model reported that its reply failed.');
    if (unified === 'interrupted') throw broken();
    this.finished = true;
    const counted = decodeUsage(usage);
    const finish: Delta = { type: 'finish', finish: finishes.get(unified) ?? 'other' };
    return counted === null ? [finish] : [{ type: 'usage', usage: counted }, finish];
  }
}

/** A stream that ended before its reply (HTTP-08). */
export function broken(): ModelError {
  return new ModelError('transport_error', 'The stream of the model ended before its reply did.');
}

/** Input counts what the cache gave and took, output counts reasoning. Null when the provider counted nothing. */
function decodeUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | null {
  const { cacheRead = 0, cacheWrite = 0 } = inputTokens;
  const input = inputTokens.total ?? sum(inputTokens.noCache, inputTokens.cacheRead, inputTokens.cacheWrite);
  const output = outputTokens.total ?? sum(outputTokens.text, outputTokens.reasoning);
  return input === undefined && output === undefined ? null : { input: input ?? 0, output: output ?? 0, cacheRead, cacheWrite };
}

function sum(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

function providerResult(part: Part<'tool-result'>): AssistantContent {
  const output = { type: part.isError === true ? 'error-json' : 'json', value: part.result } as const;
  return { type: 'tool-result', toolCallId: part.toolCallId, toolName: part.toolName, output, ...kept(part) };
}

function kept({ providerMetadata }: { readonly providerMetadata?: Metadata }): { providerOptions?: Metadata } {
  return optionsOf(providerMetadata === undefined ? undefined : jsonOf(providerMetadata));
}
