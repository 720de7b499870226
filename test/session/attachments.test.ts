import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { type ContentPart, type Message, type Model, type Part, type Prompt, textResult } from '../../src/core/index.ts';
import { blobsForResults, bytesForModel, promptLimit } from '../../src/session/attachments.ts';
import { findAttachment, putAttachment, readAttachment } from '../../src/session/rows/attachments.ts';
import { uploadLimit } from '../../src/session/protocol/index.ts';
import { sweepUploads, Uploads } from '../../src/session/uploads.ts';
import { Gate, TestCall, TestPrompt } from '../../src/testing/index.ts';
import { call, fakeChat, TestSession, text, type ChatRequest } from './support.ts';

const chat = fakeChat();

const png = 'iVBORw0KGgo=';
const pngBytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
const url = `data:image/png;base64,${png}`;
const looking = {
  content: [
    { type: 'text', text: 'Look' },
    { type: 'image', mediaType: 'image/png', data: png },
  ],
};
const sent = [
  { type: 'text', text: 'Look' },
  { type: 'image_url', image_url: { url } },
];
const hash = /^[0-9a-f]{64}$/;

/** The contents of the user messages of a request. */
const userContents = ({ messages }: ChatRequest): unknown[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content);

/** The bytes of a body in pieces. */
function bodyOf(...pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else controller.enqueue(new Uint8Array(piece));
    },
  });
}

async function upload(session: TestSession, bytes: Uint8Array, mediaType: string): Promise<string> {
  const outcome = await session.stub.upload(bodyOf(bytes), { mediaType, length: bytes.length }, session.actor);
  if (!outcome.ok) throw new Error(outcome.problem.code);
  return outcome.value.hash;
}

/** Works on the rows of a session that was used. */
async function inRows<T>(work: (sql: SqlStorage) => T | Promise<T>): Promise<T> {
  const session = new TestSession();
  await session.accept('patch', { title: 'Rows' });
  return runInDurableObject(session.stub, (_, { storage }) => work(storage.sql));
}

describe('an attachment of a message', () => {
  it('ATT-01 ATT-09 comes to the model as its bytes, in later turns and lives as well', async () => {
    const session = new TestSession();
    for (const words of ['A dot.', 'Red.', 'Yes.']) chat.reply(text(words));
    await session.play('turn', { message: looking });
    await session.turn('Which colour?');
    await session.evict();
    await session.turn('Sure?');
    expect(chat.requests.map(({ body }) => userContents(body)[0])).toEqual([sent, sent, sent]);
  });

  it('THR-08 ATT-01 is kept and shown as its kind, type and hash: no event, message or page carries the bytes', async () => {
    const session = new TestSession();
    chat.reply(text('A dot.'));
    const ended = await session.play('turn', { message: looking });
    const [message] = (await session.snapshot()).messages;
    const shown = [
      { type: 'text', text: 'Look' },
      { type: 'image', mediaType: 'image/png', blob: expect.stringMatching(hash) },
    ];
    expect(message?.content).toEqual(shown);
    expect(ended.appended[0]?.content).toEqual(shown);
    expect(
      JSON.stringify([await session.history(), await session.snapshot(), await session.rows('SELECT body FROM messages')]),
    ).not.toContain(png);
    const part = message?.content[1];
    const blob = await session.stub.blob(part?.type === 'image' ? (part.blob ?? '') : '');
    expect(blob).toEqual({ ok: true, value: { mediaType: 'image/png', content: pngBytes } });
  });

  it('ATT-02 may have been uploaded before, and is named by its hash', async () => {
    const session = new TestSession();
    const blob = await upload(session, pngBytes, 'image/png');
    expect(await session.snapshot()).toMatchObject({ status: 'idle', messages: [], turn: 0 });
    chat.reply(text('A dot.'));
    await session.play('turn', {
      message: {
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', blob },
        ],
      },
    });
    expect(userContents(chat.requests[0]?.body ?? { messages: [] })).toEqual([sent]);
    expect(
      await session.refusal('turn', {
        message: {
          content: [
            { type: 'text', text: 'Hear' },
            { type: 'audio', blob },
          ],
        },
      }),
    ).toBe('attachment_not_media');
  });

  it('ATT-01 may be chunks or a file of the provider, which no other one is asked for', async () => {
    const session = new TestSession();
    chat.reply(text('Read.'));
    const parts = [
      { type: 'text', text: 'Read' },
      { type: 'document', mediaType: 'text/plain', chunks: ['One.', 'Two.'] },
      { type: 'image', providerFile: 'file-1' },
    ];
    await session.play('turn', { message: { content: parts } });
    const [message] = (await session.snapshot()).messages;
    expect(message?.content.slice(1)).toEqual([parts[1], { ...parts[2], mediaType: 'image/*', heldBy: 'openai' }]);
    expect(userContents(chat.requests[0]?.body ?? { messages: [] })).toEqual([
      'Read\n\n[document text/plain]\nOne.\n\nTwo.\n[end of the document]\n\n[An image (image/*) was left out here: this model takes no images that are held elsewhere.]',
    ]);
  });

  it('STEER-01 ATT-01 lands with a message that was sent while a turn ran', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, call('a', 'clock'));
    chat.reply(text('I see.'));
    const turn = session.turn('What time is it?');
    await chat.request(1);
    expect(await session.accept('message', { message: looking })).toMatchObject({ inbox: expect.any(String) });
    const sound = { type: 'audio', mediaType: 'audio/ogg', data: 'T2dnUw==' };
    await session.accept('interject', { message: { content: [{ type: 'text', text: 'Listen' }, sound] } });
    gate.open();
    const { run } = await turn;
    const warnings = (await session.history()).filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ run, code: 'attachment_left_out', detail: /audio\/ogg/ }]);
    const contents = chat.requests.flatMap(({ body }) => userContents(body));
    expect(JSON.stringify(contents)).toContain(url);
    expect(JSON.stringify(await session.history())).not.toContain(png);
  });

  it('ATT-11 that the model is known not to take is told of: to people by a warning, to the model by a note', async () => {
    const session = new TestSession();
    chat.reply(text('I cannot hear.'));
    const sound = { type: 'audio', mediaType: 'audio/ogg', data: 'T2dnUw==' };
    await session.play('turn', { message: { content: [{ type: 'text', text: 'Listen' }, sound] } });
    const events = await session.history();
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'attachment_left_out', detail: /audio\/ogg/ },
    ]);
    expect(userContents(chat.requests[0]?.body ?? { messages: [] })).toEqual([
      'Listen\n\n[An audio recording (audio/ogg) was left out here: this model takes no audio.]',
    ]);
  });

  it('ATT-09 whose bytes are gone fails the turn by its name, and nothing is left out in silence', async () => {
    const session = new TestSession();
    chat.reply(text('A dot.'));
    await session.play('turn', { message: looking });
    await session.rows('DELETE FROM attachments');
    expect(await session.turn('And now?')).toMatchObject({ reason: 'failed', error: { class: 'unmappable_content' } });
    expect(chat.requests).toHaveLength(1);
  });
});

describe('a prompt', () => {
  const image = (blob: string): ContentPart => ({ type: 'image', mediaType: 'image/png', blob });
  const message = (id: string, ...content: readonly Part[]): Message => ({ id, role: 'user', content });
  const model = (takes?: Model['takes']): Model => ({ stream: async function* () {}, ...(takes === undefined ? {} : { takes }) });

  function filled(sql: SqlStorage, messages: readonly Message[], models: readonly Model[] = [model()]): readonly Message[] {
    let asked: Prompt | undefined;
    const next = (prompt: Prompt): AsyncIterable<never> => {
      asked = prompt;
      return (async function* () {})();
    };
    bytesForModel(sql, models).stream(new TestPrompt({ messages }), next);
    return asked?.messages ?? [];
  }

  it('G-19 holds the newest attachments up to its limit; of older ones the model is told', async () => {
    await inRows((sql) => {
      const put = (fill: number): string =>
        putAttachment(sql, { mediaType: 'image/png', content: new Uint8Array(promptLimit / 2).fill(fill) }, true, 0);
      const [one, two, three] = [put(1), put(2), put(3)];
      const result: Part = { type: 'tool_result', callId: 'c', content: [image(three)], error: false };
      const [first, second, third] = filled(sql, [
        message('1', image(one)),
        message('2', image(two), image(three)),
        message('3', result),
      ]);
      expect(first?.content).toEqual([
        { type: 'text', text: '[An image (image/png) was left out here: newer attachments leave no room for it.]' },
      ]);
      // The same bytes count once.
      expect(second?.content.every((part) => part.type === 'image' && part.data?.length === (promptLimit / 2 / 3) * 4)).toBe(
        true,
      );
      expect(third?.content).toMatchObject([{ content: [{ type: 'image', data: expect.any(String) }] }]);
    });
  });

  it('G-19 is given nothing that none of its models takes, and messages without attachments as they are', async () => {
    await inRows((sql) => {
      const blob = putAttachment(sql, { mediaType: 'image/png', content: pngBytes }, true, 0);
      const messages = [message('1', { type: 'text', text: 'Hi' }), message('2', image(blob))];
      const none = model(() => false);
      expect(filled(sql, messages, [none, none])).toEqual(messages);
      const [same, whole] = filled(sql, messages, [none, model()]);
      expect(same).toBe(messages[0]);
      expect(whole?.content).toEqual([{ type: 'image', mediaType: 'image/png', data: png }]);
    });
  });
});

describe('what a tool shows', () => {
  it('THR-08 G-19 is stored before anybody is told of it, and its result holds the hash', async () => {
    await inRows(async (sql) => {
      const part = { type: 'tool_call', id: 'call_1', name: 'look', input: {} } as const;
      const context = new TestCall();
      const shown: ContentPart = { type: 'image', mediaType: 'image/png', data: png };
      const result = { ...textResult('Here:'), content: [{ type: 'text', text: 'Here:' }, shown] as const };
      const seam = blobsForResults(sql, () => 0);
      const kept = await seam.call(part, context, async () => result);
      const blob = kept.content[1]?.type === 'image' ? kept.content[1].blob : undefined;
      expect(kept).toEqual({
        ...result,
        content: [
          { type: 'text', text: 'Here:' },
          { type: 'image', mediaType: 'image/png', blob: expect.stringMatching(hash) },
        ],
      });
      expect(readAttachment(sql, blob ?? '')?.content).toEqual(pngBytes);
      const plain = textResult('Nothing.');
      expect(await seam.call(part, context, async () => plain)).toBe(plain);
      const huge = { ...result, content: [{ ...shown, data: 'A'.repeat(((uploadLimit + 3) / 3) * 4) }] };
      expect((await seam.call(part, context, async () => huge)).content).toMatchObject([{ type: 'text', text: /too large/ }]);
    });
  });
});

describe('an upload', () => {
  const piece = new Uint8Array(1024 * 1024).fill(7);

  it('SESS-01 makes the session, and is there when it ends; one that is refused leaves it unused', async () => {
    const session = new TestSession();
    expect(await session.stub.upload(bodyOf(), { mediaType: 'image/png', length: null }, session.actor)).toMatchObject({
      problem: { code: 'attachment_empty' },
    });
    expect(await session.rows("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")).toEqual([]);
    const blob = await upload(session, new Uint8Array([...piece, 1, 2, 3]), 'application/pdf');
    await session.kill();
    const given = await session.stub.blob(blob);
    expect(given.ok && given.value.content.length).toBe(piece.length + 3);
    expect(given.ok && given.value.content.slice(-4)).toEqual(new Uint8Array([7, 1, 2, 3]));
  });

  it('G-19 is read no further than its limit', async () => {
    let given = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1;
        controller.enqueue(piece);
      },
    });
    expect(await new Uploads().read(body, null)).toMatchObject({ problem: { code: 'too_large' } });
    expect(given).toBeLessThanOrEqual(uploadLimit / piece.length + 2);
  });

  it('G-19 is one of a few that are held in memory at a time; what broke off holds nothing', async () => {
    const uploads = new Uploads();
    const gate = Promise.withResolvers<void>();
    const slow = (): ReadableStream<Uint8Array> => {
      let left = uploadLimit / piece.length;
      return new ReadableStream({
        async pull(controller) {
          left -= 1;
          if (left < 0) {
            await gate.promise;
            controller.close();
          } else controller.enqueue(piece);
        },
      });
    };
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(piece);
        controller.error(new Error('gone'));
      },
    });
    expect(await uploads.read(broken, null)).toMatchObject({ problem: { code: 'bad_request' } });
    const running = [1, 2, 3].map(() => uploads.read(slow(), null));
    const late = await uploads.read(slow(), 1);
    expect(late).toMatchObject({ problem: { code: 'rate_limited', retryAfter: 2 } });
    gate.resolve();
    expect((await Promise.all(running)).map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await uploads.read(bodyOf(piece), piece.length)).toMatchObject({ ok: true });
    expect(await uploads.read(bodyOf(piece), piece.length - 1)).toMatchObject({ problem: { code: 'too_large' } });
  });

  it('G-19 that no message refers to goes after a day; one that is used stays', async () => {
    const day = 24 * 60 * 60 * 1000;
    const session = new TestSession();
    const unused = await upload(session, new Uint8Array([1]), 'image/png');
    const blob = await upload(session, pngBytes, 'image/png');
    chat.reply(text('A dot.'));
    await session.play('turn', {
      message: {
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', blob },
        ],
      },
    });
    await runInDurableObject(session.stub, (_, { storage: { sql } }) => {
      const due = (): unknown => sql.exec("SELECT due FROM alarms WHERE name = 'uploads'").toArray()[0]?.due;
      const created = Number(sql.exec('SELECT created FROM attachments WHERE hash = ?', unused).one().created);
      expect(due()).toBe(created + day);
      sweepUploads(sql, created + day - 1);
      expect(findAttachment(sql, unused)).toBeDefined();
      sweepUploads(sql, created + day);
      expect(findAttachment(sql, unused)).toBeUndefined();
      expect(findAttachment(sql, blob)).toBeDefined();
      expect(sql.exec('SELECT DISTINCT hash FROM attachment_pieces').toArray()).toEqual([{ hash: blob }]);
      expect(due()).toBeUndefined();
    });
  });
});
