import * as fc from 'fast-check';
import type { ContentPart, JsonObject, MediaPart, Message, Part, ToolCallPart, ToolResultPart } from '../../src/core/index.ts';
import type { Owner } from '../../src/models/provider-data.ts';

/** What the modules leave in a history: two models of each, so that one meets another of its own kind. */
export const makers = {
  chat: ['openai/m', 'openai/n'],
  messages: ['anthropic/m', 'anthropic/n'],
  responses: ['openai/m', 'openai/n'],
  sdk: ['google/m', 'google/n'],
} as const satisfies { readonly [kind: string]: readonly Owner[] };

/** A kind of module. */
export type Kind = keyof typeof makers;

interface Maker {
  readonly kind: Kind;
  readonly owner: Owner;
}

const maker: fc.Arbitrary<Maker> = fc
  .constantFrom(...(Object.keys(makers) as Kind[]))
  .chain((kind) => fc.constantFrom(...makers[kind]).map((owner) => ({ kind, owner })));

/** A secret that names whose it is: no other model may ever get it. */
const sealed = (owner: Owner, kind: Kind, n: number): string => `sealed<${kind} ${owner}>${n}`;

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Hello', 'ünï ☃', ' padded ', '', ' ', '\n\t') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const bytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map(base64);
const kinds = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/svg+xml', 'application/pdf'],
  document: ['application/pdf', 'application/zip', 'text/csv', 'application/json', 'image/png'],
  audio: ['audio/wav', 'audio/mpeg', 'audio/ogg'],
  video: ['video/mp4', 'video/webm'],
} as const;

/** Media as people and tools bring them: bytes that lie here or not any more, files of one provider, chunks; now and then of a type that is none of the kind. */
const media: fc.Arbitrary<MediaPart> = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])).chain((type) =>
  fc
    .record({
      mediaType: fc.constantFrom(...kinds[type]),
      where: fc.oneof(
        { weight: 5, arbitrary: bytes.map((data) => ({ data })) },
        { weight: 1, arbitrary: fc.constant({ blob: '0'.repeat(64) }) },
        {
          weight: 2,
          arbitrary: fc
            .constantFrom('openai', 'anthropic', 'google')
            .map((heldBy) => ({ providerFile: `file_of_${heldBy}`, heldBy })),
        },
        ...(type === 'document'
          ? [{ weight: 1, arbitrary: fc.array(text, { minLength: 1, maxLength: 2 }).map((chunks) => ({ chunks })) }]
          : []),
      ),
    })
    .map(({ mediaType, where }): MediaPart => ({ type, mediaType, ...where })),
);

/** Ids as providers make them, and as they should not. */
const providerId = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('call_1', 'toolu_01AbC-_', 'D681PevKs', 'functions.read:0', 'fc|item 7', 'ид', 'x'.repeat(90), ''),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

function thought({ kind, owner }: Maker, words: string, n: number): Part {
  const secret = sealed(owner, kind, n);
  const data: { readonly [K in Kind]: JsonObject } = {
    chat: { openai: { field: 'reasoning', details: [{ type: 'reasoning.encrypted', data: secret }], owner } },
    messages: { [owner]: n % 3 === 0 ? { redacted: secret } : { signature: secret } },
    responses: { [owner]: { type: 'reasoning', summary: [], encrypted_content: secret } },
    sdk: { [owner]: { google: { thoughtSignature: secret } } },
  };
  return { type: 'reasoning', text: words, ...(n % 4 === 0 ? {} : { provider: data[kind] }) };
}

/** A piece that only its model understands; Chat Completions has none. */
function unknownParts({ kind, owner }: Maker, n: number): Part[] {
  if (kind === 'chat') return [];
  const secret = sealed(owner, kind, n);
  const data: { readonly [K in Exclude<Kind, 'chat'>]: readonly JsonObject[] } = {
    messages: [
      { type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search', input: {} },
      // Its server paused here, and nobody asked on.
      ...(n % 3 === 0 ? [] : [{ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${n}`, content: [{ secret }] }]),
    ],
    responses: [{ type: 'web_search_call', status: 'completed', action: { type: 'search', query: secret } }],
    sdk: [{ type: 'custom', kind: 'google.note', providerOptions: { google: { secret } } }],
  };
  return data[kind].map((block): Part => ({ type: 'opaque', provider: { [owner]: block } }));
}

interface CallSeed {
  readonly name: string;
  readonly providerId: string | undefined;
  readonly malformed: boolean;
  readonly extra: boolean;
}

const callSeed: fc.Arbitrary<CallSeed> = fc.record({
  name: fc.oneof(fc.constantFrom('read', 'functions.read', 'läs', 'x'.repeat(90)), fc.string({ maxLength: 20 })),
  providerId: fc.option(providerId, { nil: undefined }),
  malformed: fc.boolean(),
  extra: fc.boolean(),
});

const step = fc.record({
  maker,
  thoughts: fc.array(text, { maxLength: 2 }),
  unknown: fc.boolean(),
  texts: fc.array(text, { maxLength: 2 }),
  thoughtLast: fc.boolean(),
  calls: fc.array(callSeed, { maxLength: 3 }),
  /** How many of the calls have a result: the others were paused or cut. */
  results: fc.nat({ max: 3 }),
  result: fc.array(fc.oneof(text, media), { maxLength: 2 }),
});

const turn = fc.record({
  said: fc.array(fc.array(fc.oneof(text, media), { maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 3 }),
});

const contentOf = (seeds: readonly (string | ContentPart)[]): ContentPart[] =>
  seeds.map((seed) => (typeof seed === 'string' ? { type: 'text', text: seed } : seed));

/** A conversation that ends with a person's word, as it does when a model is chosen anew. */
export const history: fc.Arbitrary<readonly Message[]> = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => {
  const messages: Message[] = [];
  let n = 0;
  for (const { said, steps } of turns) {
    // What a person says is never empty: the session refuses it.
    for (const parts of said) {
      messages.push({ id: `u${(n += 1)}`, role: 'user', content: [{ type: 'text', text: `Word ${n}.` }, ...contentOf(parts)] });
    }
    for (const seed of steps) {
      const id = `a${(n += 1)}`;
      const calls = seed.calls.map(({ name, providerId: given, malformed, extra }, at): ToolCallPart => {
        n += 1;
        const secret = { [seed.maker.owner]: { [`sealed_${seed.maker.kind}`]: sealed(seed.maker.owner, seed.maker.kind, n) } };
        return {
          type: 'tool_call',
          id: `call_${id}_${at}`,
          name,
          input: malformed ? {} : { at },
          ...(given === undefined ? {} : { providerId: given }),
          ...(malformed ? { malformed: '{"at":' } : {}),
          ...(extra && seed.maker.kind !== 'chat' ? { provider: secret } : {}),
        };
      });
      const thoughts = seed.thoughts.map((words) => thought(seed.maker, words, (n += 1)));
      const content: Part[] = [
        ...thoughts,
        ...(seed.unknown ? unknownParts(seed.maker, (n += 1)) : []),
        ...seed.texts.map((words): Part => ({ type: 'text', text: words })),
        ...calls,
        ...(seed.thoughtLast ? [thought(seed.maker, 'At last.', (n += 1))] : []),
      ];
      messages.push({ id, role: 'assistant', content });
      const answered = calls.slice(0, seed.results).map((call, at): ToolResultPart => ({
        type: 'tool_result',
        callId: call.id,
        content: contentOf(seed.result),
        error: at === 1,
      }));
      if (answered.length > 0) messages.push({ id: `${id}_results`, role: 'user', content: answered });
    }
  }
  return [...messages, { id: 'last', role: 'user', content: [{ type: 'text', text: 'And now?' }] }];
});

/** A reply that was cut, by whichever model, and is to be gone on with: it may hold thoughts, whole calls and unknown pieces beside its text. */
export const edit: fc.Arbitrary<Message> = fc
  .record({
    maker,
    words: fc.constantFrom('The answer', ' so far ', 'ends here:\n'),
    thoughtful: fc.boolean(),
    unknown: fc.boolean(),
    called: fc.boolean(),
  })
  .map(({ maker: by, words, thoughtful, unknown, called }): Message => ({
    id: 'edit',
    role: 'assistant',
    content: [
      ...(thoughtful ? [thought(by, 'Hm.', 1)] : []),
      ...(unknown ? unknownParts(by, 1) : []),
      { type: 'text', text: words },
      ...(called ? [{ type: 'tool_call', id: 'call_edit', name: 'read', input: {} } as const] : []),
    ],
  }));
