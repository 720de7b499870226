import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalServer } from '../../scripts/lib/local-server.ts';
import { uploadLimit } from '../../src/session/protocol/index.ts';
import { type FakeOpenAI, startFakeOpenAI, words } from './fake-openai.ts';
import { SessionAt } from './session-at.ts';

let model: FakeOpenAI;
let server: LocalServer;

beforeAll(async () => {
  model = await startFakeOpenAI();
  server = await LocalServer.start({ vars: { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'vllm' } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

interface Uploaded {
  readonly hash: string;
  readonly bytes: number;
  readonly mediaType: string;
}

const upload = (scope: string, body: NonNullable<RequestInit['body']>, type: string): Promise<Response> =>
  fetch(`${server.address}/api/sessions/${scope}/blobs`, { method: 'POST', body, headers: { 'content-type': type } });

/** An upload whose length nobody announces. */
function unannounced(scope: string, bytes: number): Promise<Response> {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.min(left, 65_536);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(new Uint8Array(size));
    },
  });
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': 'video/mp4' },
  };
  return fetch(`${server.address}/api/sessions/${scope}/blobs`, init);
}

test('ATT-01 ATT-02 ATT-09 a large upload comes to the model whole, over a real network, and is had back', async () => {
  const session = new SessionAt(server.address, 'gallery');
  const image = randomBytes(3 * 1024 * 1024 + 17);
  const sound = randomBytes(100_000);
  const [picture, wave] = await Promise.all(
    (await Promise.all([upload('gallery', image, 'image/png'), upload('gallery', sound, 'audio/x-wav')])).map(
      async (answer) => (await answer.json()) as Uploaded,
    ),
  );
  expect(picture).toEqual({
    hash: createHash('sha256').update(image).digest('hex'),
    bytes: image.length,
    mediaType: 'image/png',
  });
  expect(wave).toMatchObject({ bytes: sound.length, mediaType: 'audio/wav' });
  model.reply(...words('A picture and a sound.'));
  const content = [
    { type: 'text', text: 'What are these?' },
    { type: 'image', blob: picture?.hash },
    { type: 'audio', blob: wave?.hash },
  ];
  expect(await session.run('turn', { message: { content } })).toMatchObject({ reason: 'done', text: 'A picture and a sound.' });
  const [asked] = model.requests;
  expect(asked?.body.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'What are these?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${image.toString('base64')}` } },
    { type: 'input_audio', input_audio: { data: sound.toString('base64'), format: 'wav' } },
  ]);
  const back = await fetch(`${server.address}/api/sessions/gallery/blobs/${picture?.hash}`);
  expect(Buffer.from(await back.arrayBuffer()).equals(image)).toBe(true);
  expect(JSON.stringify(await session.snapshot()).length).toBeLessThan(10_000);
}, 60_000);

test('G-19 an upload above the limit is refused, announced or not, and the session goes on', async () => {
  const announced = await upload('full', Buffer.alloc(uploadLimit + 1), 'image/png');
  expect(announced.status).toBe(413);
  expect(await announced.json()).toMatchObject({ code: 'too_large' });
  expect((await unannounced('full', uploadLimit + 1)).status).toBe(413);
  expect((await unannounced('full', 100_000)).status).toBe(201);
  expect((await upload('full', Buffer.alloc(uploadLimit, 1), 'image/png')).status).toBe(201);
}, 60_000);
