import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultOptions,
  hostNote,
  type JsonObject,
  type Message,
  MisuseError,
  type Part,
  type PromptFields,
  type ToolCallPart,
  type ToolResultPart,
  type ToolSpec,
  userText,
} from '../../../src/core/index.ts';
import { interruptedResult } from '../../../src/models/history.ts';
import { encodeRequest } from '../../../src/models/messages/encode.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

const owner = 'anthropic/m';
const mark = { cache_control: { type: 'ephemeral' } };

function encode(fields: Partial<PromptFields>) {
  return encodeRequest(new TestPrompt(fields), { model: 'm', owner, maxOutputTokens: 100 });
}

/** The messages of a request without its cache marks. */
function messagesOf(messages: readonly Message[], fields: Partial<PromptFields> = {}) {
  const provider = { anthropic: { cache_control: null } };
  return encode({ messages, options: { ...defaultOptions, provider }, ...fields }).messages;
}

function assistant(id: string, ...content: readonly Part[]): Message {
  return { id, role: 'assistant', content };
}

function results(...content: readonly Part[]): Message {
  return { id: 'r', role: 'user', content };
}

const text = (value: string): Part => ({ type: 'text', text: value });
const own = (data: JsonObject) => ({ provider: { [owner]: data } });
const thought = (value: string, signature: string): Part => ({ type: 'reasoning', text: value, ...own({ signature }) });
const call = (id: string, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool_call',
  id,
  name: 'read',
  input: { path: id },
  ...more,
});
const result = (callId: string, error = false): ToolResultPart => ({
  type: 'tool_result',
  callId,
  content: [{ type: 'text', text: `result of ${callId}` }],
  error,
});
const used = (id: string): object => ({ type: 'tool_use', id, name: 'read', input: { path: id } });
const answered = (id: string, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: `result of ${id}` }],
  ...more,
});
const hi = userText('u1', 'Hi');
const read: ToolSpec = { name: 'read', description: 'Reads.', input: { type: 'object', properties: {} }, hints: {} };

describe('the request', () => {
  test('ANT-11 ANT-12 is these bytes, the stable prefix marked', () => {
    const request = encode({
      system: 'Be brief.',
      messages: [hi, assistant('a', thought('Hm.', 'S+/='), call('c1')), results(result('c1'))],
      tools: [read],
      options: { ...defaultOptions, maxOutputTokens: 9, provider: { anthropic: { thinking: { type: 'adaptive' } } } },
    });
    expect(JSON.stringify(request)).toBe(
      '{"model":"m","max_tokens":9,"stream":true,' +
        '"tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{}}}],' +
        '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]},' +
        '{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"S+/="},' +
        '{"type":"tool_use","id":"c1","name":"read","input":{"path":"c1"}}]},' +
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"result of c1"}],' +
        '"cache_control":{"type":"ephemeral"}}]}],"thinking":{"type":"adaptive"}}',
    );
  });

  test('MODEL-07 always bounds the reply: by the prompt, else by what is known, with room for thoughts', () => {
    const thinking = { anthropic: { thinking: { type: 'enabled', budget_tokens: 40 } } };
    expect(encode({})).toMatchObject({ max_tokens: 100 });
    expect(encode({ options: { ...defaultOptions, provider: thinking } })).toMatchObject({ max_tokens: 140 });
    expect(encode({ options: { ...defaultOptions, maxOutputTokens: 7, provider: thinking } })).toMatchObject({ max_tokens: 7 });
  });

  test('MODEL-03 MODEL-04 merges the options of its key last: a given key replaces the built-in value as a whole', () => {
    const provider = { anthropic: { max_tokens: 1, system: 'S', top_k: 5 }, openai: { temperature: 0 } };
    const request = encode({ system: 'Be brief.', options: { ...defaultOptions, provider } });
    expect(request).toMatchObject({ max_tokens: 1, system: 'S', top_k: 5 });
    expect(request).not.toHaveProperty('temperature');
    expect(Object.keys(request)).toEqual(['model', 'max_tokens', 'stream', 'system', 'messages', 'top_k']);
  });
});

describe('cache marks', () => {
  const marksIn = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;

  test('ANT-12 stand on the tools where there is no system text', () => {
    const write = { ...read, name: 'write' };
    expect(encode({ tools: [read, write] }).tools).toMatchObject([{ name: 'read' }, { name: 'write', ...mark }]);
    expect(marksIn(encode({ tools: [read, write] }).tools)).toBe(1);
    expect(marksIn(encode({ system: 'S', tools: [read, write] }).tools)).toBe(0);
  });

  test('ANT-12 give way to a mark of the operator', () => {
    const provider = { anthropic: { cache_control: { type: 'ephemeral', ttl: '1h' } } };
    const request = encode({ system: 'S', tools: [read], options: { ...defaultOptions, provider } });
    expect(marksIn(request)).toBe(1);
    expect(request).toMatchObject({ cache_control: { ttl: '1h' } });
  });

  test('ANT-12 still stand behind the conversation when a note trails the prompt and is gone in the next', () => {
    const first = [hi, assistant('a', call('c1')), results(result('c1'))];
    const second = [...first, assistant('b', call('c2')), results(result('c2'))];
    const prefix = (messages: readonly Message[]) => {
      const blocks = encode({ messages: [...messages, hostNote('Remember.')] }).messages.flatMap(({ content }) => [...content]);
      const plain = blocks.map((block) => JSON.stringify({ ...block, cache_control: undefined }));
      return blocks.flatMap((block, at) => ('cache_control' in block ? [plain.slice(0, at + 1).join()] : []));
    };
    const kept = prefix(first).filter((bytes) => !bytes.endsWith('"Remember."}'));
    expect(kept).toHaveLength(2);
    expect(prefix(second)).toContain(kept.at(-1));
  });

  test('ANT-12 are four at most, however long the conversation is', () => {
    const steps = Array.from({ length: 9 }, (_, n) => [assistant(`a${n}`, call(`c${n}`)), results(result(`c${n}`))]).flat();
    expect(marksIn(encode({ system: 'S', tools: [read], messages: [hi, ...steps, hostNote('Remember.')] }))).toBe(4);
  });
});

describe('user messages', () => {
  test('ANT-07 the results come first, in the order of the calls, and what else was said is in the same message', () => {
    const history = [
      hi,
      assistant('a', call('c1'), call('c2')),
      results(text('Hurry.'), result('c2', true), result('c1')),
      userText('u2', 'Please.'),
    ];
    expect(messagesOf(history)).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [used('c1'), used('c2')] },
      {
        role: 'user',
        content: [answered('c1'), answered('c2', { is_error: true }), text('Hurry.'), text('Please.')],
      },
    ]);
  });

  test('ANT-07 STEER-17 messages in a row are one', () => {
    expect(messagesOf([hi, userText('u2', 'Are you there?')])).toEqual([
      { role: 'user', content: [text('Hi'), text('Are you there?')] },
    ]);
    const replies = [hi, assistant('a', text('One.')), assistant('b', text('Two.')), userText('u2', 'Three?')];
    expect(messagesOf(replies).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('ANT-07 a call without a result gets one that says it was interrupted', () => {
    expect(messagesOf([hi, assistant('a', call('c1')), userText('u2', 'go on')])[2]).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [text(interruptedResult)], is_error: true }, text('go on')],
    });
  });

  test('CC-14 images go where they are, in a message and in a result', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const history = [
      { ...hi, content: [text('Look'), image] },
      assistant('a', call('c1')),
      results({ ...result('c1'), content: [image] }),
    ];
    expect(messagesOf(history)).toMatchObject([
      { content: [text('Look'), { type: 'image', source }] },
      {},
      { content: [{ type: 'tool_result', content: [{ type: 'image', source }] }] },
    ]);
  });

  test('ATT-01 ATT-02 PDFs go by their bytes, and files of this provider by their ids', () => {
    const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBE' } as const;
    const held = { type: 'image', mediaType: 'image/png', providerFile: 'file_1', heldBy: 'anthropic' } as const;
    const elsewhere = { type: 'document', mediaType: 'application/pdf', providerFile: 'file_2', heldBy: 'openai' } as const;
    expect(messagesOf([{ ...hi, content: [pdf, held, elsewhere] }])).toMatchObject([
      {
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } },
          { type: 'image', source: { type: 'file', file_id: 'file_1' } },
          text('[A document (application/pdf) was left out here: another provider holds it.]'),
        ],
      },
    ]);
  });

  test('ATT-11 an image above what the API takes, counted as base64, is left out and told of: it would end every turn to come', () => {
    const most = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(5 * 1024 * 1024) } as const;
    const over = { ...most, data: `${most.data}AAAA` };
    const [turn] = messagesOf([{ ...hi, content: [most, over] }]);
    expect(turn?.content.map(({ type }) => type)).toEqual(['image', 'text']);
    expect(turn?.content[1]).toEqual(text('[An image (image/png) was left out here: it is too large for this model.]'));
  });

  test('ANT-08 a call of a server tool that never got its result is left out; one that a later reply answers stays', () => {
    const served = (block: JsonObject): Part => ({ type: 'opaque', provider: { 'anthropic/m': block } });
    const asked = served({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} });
    const answered = served({ type: 'web_search_tool_result', tool_use_id: 's1', content: [] });
    const kindsOf = (...history: readonly Message[]): unknown =>
      messagesOf([hi, ...history, userText('u9', 'So?')]).map(({ content }) => content.map(({ type }) => type));
    expect(kindsOf(assistant('a', text('Searching.'), asked))).toEqual([['text'], ['text'], ['text']]);
    expect(kindsOf(assistant('a', asked))).toEqual([['text', 'text']]);
    expect(kindsOf(assistant('a', asked, answered, text('Found.')))).toEqual([
      ['text'],
      ['server_tool_use', 'web_search_tool_result', 'text'],
      ['text'],
    ]);
    // Code that runs there asks for a tool of ours: its result comes with the next reply.
    expect(kindsOf(assistant('a', asked, call('c1')), results(result('c1')), assistant('b', answered, text('Done.')))).toEqual([
      ['text'],
      ['server_tool_use', 'tool_use'],
      ['tool_result'],
      ['web_search_tool_result', 'text'],
      ['text'],
    ]);
  });

  test('ANT-10 blank texts are never sent, and a result of nothing has no content', () => {
    const history = [
      { ...hi, content: [text(''), text('Hi'), text(' \n')] },
      assistant('a', text(''), text('\n'), call('c1')),
      results({ ...result('c1'), content: [] }, text(' ')),
    ];
    expect(messagesOf(history)).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [used('c1')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
    ]);
  });
});

describe('thoughts', () => {
  const replies = (...content: readonly Part[]): unknown =>
    messagesOf([hi, assistant('a', ...content), userText('u2', 'And?')]).find(({ role }) => role === 'assistant')?.content;

  test('ANT-01 ANT-02 ANT-03 go back as they came and where they were', () => {
    const redacted: Part = { type: 'reasoning', text: '', ...own({ redacted: 'R==' }) };
    expect(
      JSON.stringify(
        replies(thought('Hm, é😀.', 'S1'), thought('', 'S2'), redacted, call('c1'), thought('So', 'S3'), text('Hello')),
      ),
    ).toBe(
      '[{"type":"thinking","thinking":"Hm, é😀.","signature":"S1"},{"type":"thinking","thinking":"","signature":"S2"},' +
        '{"type":"redacted_thinking","data":"R=="},{"type":"tool_use","id":"c1","name":"read","input":{"path":"c1"}},' +
        '{"type":"thinking","thinking":"So","signature":"S3"},{"type":"text","text":"Hello"}]',
    );
  });

  test('ANT-04 MODEL-11 stay here without a signature, with that of another model, and where nothing follows them', () => {
    const foreign: Part = {
      type: 'reasoning',
      text: 'x',
      provider: { 'anthropic/other': { signature: 'S' }, openai: { field: 'y' } },
    };
    expect(replies({ type: 'reasoning', text: 'cut' }, foreign, text('Hello'), thought('late', 'S'))).toEqual([text('Hello')]);
    expect(replies(thought('only', 'S'))).toBeUndefined();
  });

  test('LOOP-16 a reply of nothing else does not break the next request', () => {
    expect(messagesOf([hi, assistant('a', thought('only', 'S')), userText('u2', 'And?')])).toEqual([
      { role: 'user', content: [text('Hi'), text('And?')] },
    ]);
  });
});

describe('what else came with a reply', () => {
  const sent = (part: Part): unknown => messagesOf([hi, assistant('a', part), userText('u2', 'And?')])[1]?.content;

  test('RESP-07 unknown blocks go back as they came, in their place', () => {
    const block = { type: 'container_upload', file_id: 'file_1', note: { deep: [1] } };
    const history = [hi, assistant('a', text('A'), { type: 'opaque', ...own(block) }, text('B')), userText('u2', 'And?')];
    expect(messagesOf(history)[1]?.content).toEqual([text('A'), block, text('B')]);
  });

  test('MODEL-11 citations and the caller of a call go back to their own model alone', () => {
    const citations = [{ type: 'char_location', cited_text: 'x' }];
    expect(sent({ type: 'text', text: 'A', ...own({ citations }) })).toEqual([{ type: 'text', text: 'A', citations }]);
    expect(sent(call('c1', own({ caller: { type: 'direct' } })))).toEqual([{ ...used('c1'), caller: { type: 'direct' } }]);
    const provider = { 'anthropic/other': { citations, caller: 1, type: 'server_tool_use' } };
    expect(sent({ type: 'text', text: 'A', provider })).toEqual([text('A')]);
    expect(sent(call('c1', { provider }))).toEqual([used('c1')]);
    expect(messagesOf([hi, assistant('a', { type: 'opaque', provider }), userText('u2', 'And?')])).toHaveLength(1);
  });

  test('ANT-10 ids are in the alphabet, unique, and those of the provider where they can be', () => {
    const ids = ['toolu_1', 'toolu_1', 'functions.read:0', 'x'.repeat(65), undefined];
    const calls = ids.map((providerId, n) => call(`call_${n}`, providerId === undefined ? {} : { providerId }));
    const [, asked, answers] = messagesOf([hi, assistant('a', ...calls), results()]) as readonly {
      content: readonly JsonObject[];
    }[];
    const out = (asked?.content ?? []).map(({ id }) => String(id));
    expect(out[0]).toBe('toolu_1');
    expect(new Set(out).size).toBe(ids.length);
    expect(out.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(answers?.content.map(({ tool_use_id: id }) => id)).toEqual(out);
  });

  test('TOOL-28 a call with malformed arguments goes out with an empty object', () => {
    expect(sent(call('c1', { input: {}, malformed: '{"path":"x' }))).toEqual([{ ...used('c1'), input: {} }]);
  });
});

describe('the last message', () => {
  const edit = (...content: readonly Part[]) => messagesOf([hi, assistant('a', ...content)], { continue: true });

  test('INTR-12 is the reply to be continued: its visible text, without white space at its end', () => {
    expect(edit(thought('hm', 'S'), text('Once '), call('c1'), text('upon \n'))).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Once upon')] },
    ]);
  });

  test('INTR-17 cannot be one without text', () => {
    expect(() => edit(thought('hm', 'S'), text(' '))).toThrow(MisuseError);
  });

  test('INTR-16 is never a reply by accident', () => {
    expect(() => messagesOf([hi, assistant('a', text('Hello'))])).toThrow(MisuseError);
    expect(() => messagesOf([hi], { continue: true })).toThrow(MisuseError);
  });
});

describe('the bytes of a request', () => {
  const parts = fc.array(
    fc.oneof(
      fc.string().map(text),
      fc.tuple(fc.string(), fc.string()).map(([value, signature]) => thought(value, signature)),
      fc.constant<Part>({ type: 'opaque', ...own({ type: 'fallback' }) }),
      fc.constantFrom('call_0', 'call_1', 'functions.read:0', '').map((providerId) => call('', { providerId })),
    ),
    { maxLength: 5 },
  );
  const steps = fc.array(fc.record({ parts, user: fc.option(fc.string({ minLength: 1 })) }), { minLength: 1, maxLength: 5 });

  /** Messages of a session: each step is a reply, its results, and what a person says behind them. Each ends where a request is made. */
  function session(all: typeof steps extends fc.Arbitrary<infer T> ? T : never): Message[][] {
    const requests: Message[][] = [[hi]];
    let history: Message[] = [hi];
    all.forEach((step, n) => {
      const content = step.parts.map((part, i): Part => (part.type === 'tool_call' ? { ...part, id: `call_${n}_${i}` } : part));
      const ids = content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      history = [...history, assistant(`a${n}`, text(`${n}.`), ...content)];
      if (ids.length > 0) history = [...history, results(...ids.map((id) => result(id)))];
      if (ids.length === 0 || step.user !== null) history = [...history, userText(`u${n}`, `${step.user ?? ''}.`)];
      requests.push(history);
    });
    return requests;
  }

  /** The request up to and with its last block, without what closes the lists, and without its marks. */
  function beginning(messages: readonly Message[]): string {
    const request = encode({ messages, system: 'S', tools: [read] });
    return JSON.stringify(request)
      .replaceAll(`,${JSON.stringify(mark).slice(1, -1)}`, '')
      .replace(/\]\}\]\}$/, '');
  }

  test('G-21 request n+1 begins with the bytes of request n, but for the marks', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const requests = session(all).map(beginning);
        requests.slice(1).forEach((next, n) => expect(next.startsWith(requests[n] ?? '?')).toBe(true));
      }),
      { numRuns: 200 },
    );
  });

  test('RUN-15 the same conversation read back from JSON makes the same bytes', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const messages = session(all).at(-1) ?? [];
        const restored = JSON.parse(JSON.stringify(messages)) as Message[];
        expect(JSON.stringify(encode({ messages: restored }))).toBe(JSON.stringify(encode({ messages })));
      }),
      { numRuns: 50 },
    );
  });

  test('ANT-07 ANT-10 any conversation makes roles that alternate, no blank text, and a result for each call', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const sent = encode({ messages: session(all).at(-1) ?? [] }).messages as { role: string; content: JsonObject[] }[];
        expect(sent.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).toBe(true);
        expect(
          sent.flatMap(({ content }) => content).every((block) => block.type !== 'text' || String(block.text).trim() !== ''),
        ).toBe(true);
        sent.forEach(({ content }, at) => {
          const asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
          const next = sent[at + 1]?.content.slice(0, asked.length).map((block) => block.tool_use_id);
          if (asked.length > 0) expect(next).toEqual(asked);
        });
      }),
      { numRuns: 200 },
    );
  });
});
