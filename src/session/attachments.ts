import { Buffer } from 'node:buffer';
import {
  type ContentPart,
  type MediaPart,
  type Message,
  MisuseError,
  type Model,
  type ModelMiddleware,
  type Part,
  type TextPart,
  type ToolMiddleware,
} from '../core/index.ts';
import { leftOutNote } from '../models/index.ts';
import type { Agent } from './agent.ts';
import type { AttachmentStore } from './attach.ts';
import type { Work } from './journal.ts';
import { findAttachment, putAttachment, readAttachment, useAttachment } from './rows/attachments.ts';
import type { RunRow } from './rows/runs.ts';
import { uploadLimit } from './protocol/index.ts';

/** The most bytes of attachments that one prompt holds, the newest first: as text they are copied three times on their way out. */
export const promptLimit = 12 * 1024 * 1024;

/** The attachments in the rows. `provider` gives that of the session's model. */
export function attachmentStore(sql: SqlStorage, now: () => number, provider: () => string): AttachmentStore {
  return {
    keep: (content, mediaType) => putAttachment(sql, { content, mediaType }, true, now()),
    use: (hash) => {
      useAttachment(sql, hash);
      return findAttachment(sql, hash)?.mediaType;
    },
    provider,
  };
}

/**
 * Makes the prompt's attachments whole, for the models alone and no longer than they are asked. The innermost model middleware. What none of the
 * models takes is not even read.
 */
export function bytesForModel(sql: SqlStorage, models: readonly Model[]): ModelMiddleware {
  return {
    stream: (prompt, next) => {
      if (!prompt.messages.some(({ content }) => content.some(holdsBlob))) return next(prompt);
      const filler = new Filler(sql, models);
      const messages = prompt.messages.toReversed().map((message) => filler.message(message));
      return next(prompt.with({ messages: messages.toReversed() }));
    },
  };
}

/** Puts what a tool shows into the rows before anybody is told of it: events and messages hold the hash. The outermost tool middleware. */
export function blobsForResults(sql: SqlStorage, now: () => number): ToolMiddleware {
  const stored = (part: ContentPart): ContentPart => {
    if (part.type === 'text' || part.data === undefined) return part;
    const { data, ...others } = part;
    const content = new Uint8Array(Buffer.from(data, 'base64'));
    if (content.length > uploadLimit) return leftOutNote(part, 'it is too large to be kept');
    return { ...others, blob: putAttachment(sql, { content, mediaType: part.mediaType }, true, now()) };
  };
  return {
    call: async (call, context, next) => {
      const result = await next(call, context);
      const holds = result.content.some((part) => part.type !== 'text' && part.data !== undefined);
      return holds ? { ...result, content: result.content.map(stored) } : result;
    },
  };
}

/** Tells people when a message holds media that the model of its run is known not to take, before that is asked (ATT-11). */
export function warnOfLeftOut(work: Work, run: RunRow, { content }: Message, { models: [{ model }] }: Agent): void {
  const types = content.flatMap((part) => ('mediaType' in part && model.takes?.(part) === false ? [part.mediaType] : []));
  if (types.length === 0) return;
  const detail = `The model takes no ${[...new Set(types)].join(', ')}: it is told that this was left out. Another model may take it.`;
  work.emit({ type: 'warning', run: run.id, turn: run.turn, parent: null, code: 'attachment_left_out', detail });
}

function holdsBlob(part: Part): boolean {
  return part.type === 'tool_result' ? part.content.some(holdsBlob) : 'mediaType' in part && part.blob !== undefined;
}

/** Fills the parts of one prompt, from its end backwards. */
class Filler {
  readonly #sql: SqlStorage;
  readonly #models: readonly Model[];
  readonly #known = new Map<string, string>();
  #left = promptLimit;

  constructor(sql: SqlStorage, models: readonly Model[]) {
    this.#sql = sql;
    this.#models = models;
  }

  message(message: Message): Message {
    if (!message.content.some(holdsBlob)) return message;
    const content = this.#list(message.content, (part) => this.#part(part));
    return content === message.content ? message : { ...message, content };
  }

  #part(part: Part): Part {
    if (part.type === 'tool_result') {
      const content = this.#list(part.content, (inner) => this.#filled(inner));
      return content === part.content ? part : { ...part, content };
    }
    return 'mediaType' in part ? this.#filled(part) : part;
  }

  /** The items from the last to the first, since newer ones go before; the same list when none changed. */
  #list<T>(items: readonly T[], fill: (item: T) => T): readonly T[] {
    const filled = items.toReversed().map(fill).toReversed();
    return filled.every((item, at) => item === items[at]) ? items : filled;
  }

  #filled(part: ContentPart): TextPart | MediaPart {
    if (part.type === 'text' || part.blob === undefined) return part;
    if (this.#models.every((model) => model.takes?.(part) === false)) return part;
    const { blob, ...others } = part;
    const known = this.#known.get(blob);
    const bytes = findAttachment(this.#sql, blob)?.bytes;
    if (bytes === undefined) {
      throw new MisuseError(
        'unmappable_content',
        'An attachment of the conversation is not stored any more. Begin a new conversation.',
      );
    }
    if (known === undefined && bytes > this.#left) return leftOutNote(part, 'newer attachments leave no room for it');
    if (known === undefined) this.#left -= bytes;
    const data = known ?? this.#read(blob);
    this.#known.set(blob, data);
    return { ...others, data };
  }

  #read(blob: string): string {
    const { content } = readAttachment(this.#sql, blob) ?? { content: new Uint8Array() };
    return Buffer.from(content.buffer, 0, content.length).toString('base64');
  }
}
