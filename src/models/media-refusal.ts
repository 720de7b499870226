import { type Delta, type MediaKind, ModelError, type Part, type Prompt, UnsupportedOptionError } from '../core/index.ts';
import { mediaKinds } from './media.ts';

/** How servers say that their model takes no media, or not these. */
const refusals: readonly RegExp[] = [
  /(does|do|is|are)(n't| not) (an? )?(support|accept|multi-?modal|enabled|allowed)[^.]{0,60}(image|vision|audio|video|file|document|pdf|media|modal)/i,
  /(image|vision|audio|video|file|document|pdf|media|multi-?modal)[^.]{0,60}(not (currently )?(supported|allowed|enabled|available)|unsupported|only supported)/i,
  /not a multi-?modal model|mmproj/i,
  /no endpoints found that support (image|audio|video|file)/i,
  /unknown variant `?(image_url|input_audio|video_url|file)|unsupported content type/i,
  /content\b.{0,60}must be a (valid )?string/i,
  /required for image input/i,
  /(image|pdf|document|audio)\b.{0,60}(exceeds|too large|invalid|corrupt|could not be (processed|read|decoded)|password)/i,
  /(could not|cannot|failed to|unable to) (process|load|decode|read|download)( the| an| input)* (image|pdf|document|audio|video|file)/i,
];

/**
 * What a model is known not to take of media, and what its server's refusals teach. Catalogues do not know every model, and one picture that a server does
 * not take would otherwise end every turn to come.
 */
export class KnownLacks {
  #kinds: readonly MediaKind[];

  constructor(kinds: readonly MediaKind[] = []) {
    this.#kinds = kinds;
  }

  get kinds(): readonly MediaKind[] {
    return this.#kinds;
  }

  /**
   * Asks with what is known; when the server refuses the request for its media before any delta, asks once more with notes in their place, and knows
   * from then on.
   */
  ask(prompt: Prompt, request: (lacks: readonly MediaKind[]) => AsyncIterable<Delta>): AsyncIterable<Delta> {
    return holdsOther(prompt, this.#kinds) ? this.#guarded(request) : request(this.#kinds);
  }

  async *#guarded(request: (lacks: readonly MediaKind[]) => AsyncIterable<Delta>): AsyncGenerator<Delta, void, undefined> {
    let passed = false;
    try {
      for await (const delta of request(this.#kinds)) {
        passed = true;
        yield delta;
      }
      return;
    } catch (error) {
      if (passed || !isRefusal(error)) throw error;
    }
    this.#kinds = mediaKinds;
    yield* request(this.#kinds);
  }
}

/** Packages of the AI SDK refuse by themselves what their API does not take. */
function isRefusal(error: unknown): boolean {
  const refused = error instanceof UnsupportedOptionError || (error instanceof ModelError && error.kind === 'model_error');
  return refused && refusals.some((pattern) => pattern.test(error.message));
}

/** True when the prompt holds media of a kind that was not known to be refused. */
function holdsOther({ messages }: Prompt, lacks: readonly MediaKind[]): boolean {
  const isOther = (part: Part): boolean =>
    part.type === 'tool_result' ? part.content.some(isOther) : 'mediaType' in part && !lacks.includes(part.type);
  return messages.some(({ content }) => content.some(isOther));
}
