import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import {
  Cancelled,
  type Clock,
  type Delta,
  type Logger,
  type MediaKind,
  type MediaPart,
  MisuseError,
  type Model,
  ModelError,
  type Prompt,
  silentLogger,
  systemClock,
  textOf,
  UnsupportedOptionError,
} from '../../core/index.ts';
import type { CallIdRule } from '../call-ids.ts';
import { EditEcho } from '../edit-echo.ts';
import { cannotContinue, refusesEdit } from '../errors.ts';
import { isTaken } from '../media.ts';
import { KnownLacks } from '../media-refusal.ts';
import type { Owner } from '../provider-data.ts';
import { defaultTimers, timed, type Timers } from '../timers.ts';
import { broken, PartDecoder } from './decode.ts';
import { type AiSdkTarget, encodeCall, mediaRule } from './encode.ts';
import { providerError } from './errors.ts';
import type { AiSdkLanguageModel, StreamPart } from './interface.ts';
import { read, unlessAborted } from './read.ts';
import { asV3 } from './v3.ts';

/** What a model over the AI SDK's provider interface is made of. */
export interface AiSdkModelInit {
  /** The model as it is named, `<provider>/<model>`: its provider data are kept under this name. */
  readonly name: Owner;
  /** Gives the model object when it is first asked: a package that is imported in here is loaded no earlier. */
  readonly load: () => AiSdkLanguageModel | Promise<AiSdkLanguageModel>;
  /** The key that the object is made with: an error that repeats it is told without. */
  readonly key?: string;
  /** True for a model that goes on from the beginning of a reply when that is the last message. False when left out. */
  readonly continues?: boolean;
  /** The call ids that the API behind the package takes; up to 64 letters, digits, `_` and `-`, but for Mistral, when left out. */
  readonly callIds?: CallIdRule;
  /** Whether the package takes media in results; when left out, only where that is known: Google, Anthropic, OpenAI, Bedrock. */
  readonly mediaInResults?: boolean;
  /** Kinds of media that the model is known not to take; none when left out. */
  readonly lacks?: readonly MediaKind[];
  /** In ms; those left out are `defaultTimers`. */
  readonly timers?: Partial<Timers>;
  readonly clock?: Clock;
  /** Hears what a package warns of; silent when left out. */
  readonly logger?: Logger;
}

const idRule: CallIdRule = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 };

/** Providers whose APIs take fewer, by the name before the slash. */
const idRules: ReadonlyMap<string, CallIdRule> = new Map([['mistral', { refused: /[^a-zA-Z0-9]/, least: 9, most: 9 }]]);

/** Providers whose packages take media in results, by the name before the slash. Others write them out as base64 in the text. */
const showing: ReadonlySet<string> = new Set(['google', 'anthropic', 'openai', 'aws']);

/**
 * Any model of the AI SDK's provider packages. Its options stand under the provider key `ai-sdk` and are merged into the call
 * last and shallowly (MODEL-04): `temperature`, `toolChoice`, and `providerOptions` for the package itself.
 */
export class AiSdkModel implements Model {
  readonly continues: boolean;
  readonly #load: AiSdkModelInit['load'];
  readonly #target: AiSdkTarget;
  readonly #lacks: KnownLacks;
  readonly #key: string;
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #loaded: AiSdkLanguageModel | null = null;

  constructor(init: AiSdkModelInit) {
    this.continues = init.continues ?? false;
    this.#load = init.load;
    const [provider = ''] = init.name.split('/');
    this.#target = {
      owner: init.name,
      callIds: init.callIds ?? idRules.get(provider) ?? idRule,
      mediaInResults: init.mediaInResults ?? showing.has(provider),
    };
    this.#lacks = new KnownLacks(init.lacks);
    this.#key = init.key ?? '';
    this.#timers = { ...defaultTimers, ...init.timers };
    this.#clock = init.clock ?? systemClock;
    this.#logger = init.logger ?? silentLogger;
  }

  takes(part: MediaPart): boolean {
    return isTaken(part, mediaRule, { ...this.#target, lacks: this.#lacks.kinds });
  }

  /**
   * @throws UnsupportedOptionError with the fallback `append_and_ask` when the reply cannot be continued: before any request
   * where that is known, else when the server refuses it. Otherwise as every Model.
   */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (prompt.continue && !this.continues) throw cannotContinue();
    yield* this.#lacks.ask(prompt, (lacks) => this.#ask(prompt, lacks));
  }

  async *#ask(prompt: Prompt, lacks: readonly MediaKind[]): AsyncGenerator<Delta, void, undefined> {
    const call = encodeCall(prompt, { ...this.#target, lacks });
    const edit = prompt.continue ? prompt.messages.at(-1) : undefined;
    const echo = edit === undefined ? null : new EditEcho(textOf(edit));
    try {
      const open = (signal: AbortSignal) => this.#reply(call, echo, signal);
      for await (const deltas of timed(open, this.#timers, this.#clock, prompt.cancel)) yield* deltas;
    } catch (error) {
      if (prompt.cancel.aborted && !(error instanceof MisuseError)) throw new Cancelled();
      if (!(error instanceof ModelError)) throw error;
      throw prompt.continue && refusesEdit(error) ? cannotContinue() : this.#withoutKey(error);
    }
  }

  /** The deltas of the reply, in batches that hold something. */
  async *#reply(
    call: LanguageModelV4CallOptions,
    echo: EditEcho | null,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Delta[], void, undefined> {
    const decoder = new PartDecoder(this.#target.owner);
    try {
      const stream = await unlessAborted(this.#open({ ...call, abortSignal: signal }), signal);
      for await (const part of read(stream, signal)) {
        if (part.type === 'stream-start') this.#heed(part.warnings, call);
        const deltas = decoder.add(part);
        const fresh = echo === null ? deltas : withoutEcho(deltas, echo, decoder.finished);
        if (fresh.length > 0) yield fresh;
        if (decoder.finished) return;
      }
    } catch (error) {
      throw providerError(error, this.#clock.now());
    }
    throw broken();
  }

  #withoutKey(error: ModelError): ModelError {
    if (this.#key === '' || !error.message.includes(this.#key)) return error;
    return new ModelError(error.kind, error.message.replaceAll(this.#key, '[key]'), error.retryAfter, error.status);
  }

  async #open(call: LanguageModelV4CallOptions): Promise<ReadableStream<StreamPart>> {
    this.#loaded ??= await this.#load();
    const model = this.#loaded;
    switch (model.specificationVersion) {
      case 'v3':
        return (await model.doStream(asV3(call))).stream;
      case 'v4':
        return (await model.doStream(call)).stream;
      default:
        throw new MisuseError('option_invalid', 'The model object must be one of version 3 or 4 of the provider interface.');
    }
  }

  /**
   * Packages leave out what a model does not take, and warn.
   * @throws UnsupportedOptionError when it is an option that was set: it is never ignored (MODEL-06).
   */
  #heed(warnings: readonly SharedV4Warning[], call: LanguageModelV4CallOptions): void {
    for (const warning of warnings) {
      if (warning.type === 'unsupported' && Object.hasOwn(call, warning.feature)) {
        throw new UnsupportedOptionError(`This model does not take the option ${warning.feature}.`);
      }
      this.#logger.warn('The provider package of a model warns.', { model: this.#target.owner, warning });
    }
  }
}

/** Takes a repeated edit off the front of the visible text; what is held is let go when the reply is over. */
function withoutEcho(deltas: readonly Delta[], echo: EditEcho, last: boolean): readonly Delta[] {
  const fresh = deltas.flatMap((delta): Delta[] => {
    if (delta.type !== 'text') return [delta];
    const text = echo.add(delta.text);
    return text === '' && delta.provider === undefined ? [] : [{ ...delta, text }];
  });
  const held = last ? echo.end() : '';
  return held === '' ? fresh : [{ type: 'text', text: held }, ...fresh];
}
