import { describe, expect, it } from 'vitest';
import { Cancelled, type Delta, type Message, ModelError, type Prompt } from '../../src/core/index.ts';
import {
  callDelta,
  countingIds,
  cutAt,
  cutEvery,
  FakeClock,
  FakeModel,
  FakeTransport,
  finishDelta,
  Gate,
  reasoningDelta,
  TestPrompt,
  textDelta,
  usageDelta,
} from '../../src/testing/index.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = [];
  for await (const item of items) got.push(item);
  return got;
}

describe('FakeModel', () => {
  it('TEST-01 plays deltas, one script a call, and keeps the prompts', async () => {
    const model = new FakeModel([[textDelta('One'), usageDelta({ input: 2 }), finishDelta('length')], 'Two']);
    const prompts = [new TestPrompt(), new TestPrompt({ system: 'S' })];
    expect(await all(model.stream(prompts[0] as Prompt))).toEqual([
      textDelta('One'),
      { type: 'usage', usage: { input: 2, output: 0, cacheRead: 0, cacheWrite: 0 } },
      finishDelta('length'),
    ]);
    expect(await all(model.stream(prompts[1] as Prompt))).toEqual([textDelta('Two'), finishDelta('stop')]);
    expect(model.prompts).toEqual(prompts);
  });

  it('TEST-01 plays a whole message as its deltas, with the finish that follows from it', async () => {
    const message: Message = {
      id: 'a',
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm', provider: { signature: 's' } },
        { type: 'text', text: 'See' },
        { type: 'tool_call', id: 'k', name: 'clock', input: { zone: 'UTC' } },
      ],
    };
    expect(await all(new FakeModel([[message]]).stream(new TestPrompt()))).toEqual([
      reasoningDelta('Hm', { signature: 's' }),
      textDelta('See'),
      callDelta('k', 'clock', { zone: 'UTC' }),
      finishDelta('tool_calls'),
    ]);
    const results: Message = {
      id: 'r',
      role: 'user',
      content: [{ type: 'tool_result', callId: 'k', content: [], error: false }],
    };
    await expect(all(new FakeModel([[results]]).stream(new TestPrompt()))).rejects.toMatchObject({ code: 'bad_script' });
  });

  it('TEST-01 throws the errors of its script, after what came before', async () => {
    const error = new ModelError('rate_limited', 'x', 5);
    const got: Delta[] = [];
    const play = async (): Promise<void> => {
      for await (const delta of new FakeModel([[textDelta('x'), error]]).stream(new TestPrompt())) got.push(delta);
    };
    await expect(play()).rejects.toBe(error);
    expect(got).toEqual([textDelta('x')]);
  });

  it('TEST-01 waits at a gate until it is opened, or the turn is cancelled', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const abort = new AbortController();
    const model = new FakeModel([[gates[0], textDelta('x'), gates[1], textDelta('never')]]);
    const stream = model.stream(new TestPrompt({ cancel: abort.signal }))[Symbol.asyncIterator]();
    const first = stream.next();
    await gates[0].reached;
    expect(model.playing).toBe(1);
    gates[0].open();
    expect(await first).toEqual({ done: false, value: textDelta('x') });
    const second = stream.next();
    await gates[1].reached;
    abort.abort();
    await expect(second).rejects.toBeInstanceOf(Cancelled);
    expect(model.playing).toBe(0);
  });

  it('TEST-01 chooses a script by the prompt, and says when it has none', async () => {
    const echo = new FakeModel((prompt, n) => `${n}: ${prompt.messages.length}`);
    expect(await all(echo.stream(new TestPrompt()))).toEqual([textDelta('0: 1'), finishDelta('stop')]);
    await expect(all(new FakeModel([]).stream(new TestPrompt()))).rejects.toMatchObject({ code: 'script_missing' });
  });
});

describe('FakeTransport', () => {
  const never = new AbortController().signal;
  const post = (transport: FakeTransport, cancel = never) =>
    transport.post('https://m.test/v1', { accept: 'x' }, '{"a":1}', cancel);

  it('TEST-02 plays scripted responses chunk by chunk and keeps the requests', async () => {
    const transport = new FakeTransport([{ status: 201, headers: { 'x-a': 'b' }, body: ['é', new Uint8Array([1, 2])] }, {}]);
    const response = await post(transport);
    expect([response.status, response.headers.get('X-A')]).toEqual([201, 'b']);
    expect(await all(response.body)).toEqual([new Uint8Array([0xc3, 0xa9]), new Uint8Array([1, 2])]);
    const empty = await post(transport);
    expect([empty.status, await all(empty.body)]).toEqual([200, []]);
    expect(transport.requests[0]).toEqual({ url: 'https://m.test/v1', headers: { accept: 'x' }, body: '{"a":1}', cancel: never });
    await expect(post(transport)).rejects.toMatchObject({ code: 'script_missing' });
  });

  it('TEST-02 fails before the response, in the middle of the body, and by the choice of the request', async () => {
    const down = new ModelError('transport_error', 'refused');
    await expect(post(new FakeTransport([down]))).rejects.toBe(down);
    const cut = await post(new FakeTransport([{ body: ['a', down] }]));
    await expect(all(cut.body)).rejects.toBe(down);
    const chosen = new FakeTransport((request, n) => ({ status: request.body.length + n }));
    expect((await post(chosen)).status).toBe(7);
    expect((await post(chosen)).status).toBe(8);
  });

  it('TEST-02 stalls at a gate and sees the cancel signal there', async () => {
    const gate = new Gate();
    const abort = new AbortController();
    const transport = new FakeTransport([{ body: ['a', gate, 'b'] }]);
    const response = await post(transport, abort.signal);
    const reading = all(response.body);
    await gate.reached;
    abort.abort();
    await expect(reading).rejects.toBeInstanceOf(Cancelled);
    await expect(post(transport, abort.signal)).rejects.toBeInstanceOf(Cancelled);
    expect(transport.requests).toHaveLength(1);
  });

  it('TEST-02 cuts a body at given places, or every so many bytes', () => {
    const text = (chunks: readonly Uint8Array[]): string[] => chunks.map((chunk) => String.fromCharCode(...chunk));
    expect(text(cutAt('abcdef', 1, 1, 4))).toEqual(['a', '', 'bcd', 'ef']);
    expect(text(cutAt('abc'))).toEqual(['abc']);
    expect(text(cutEvery('abcde', 2))).toEqual(['ab', 'cd', 'e']);
    expect(text(cutEvery('abcd', 2))).toEqual(['ab', 'cd']);
    expect(cutEvery('é', 1)).toEqual([new Uint8Array([0xc3]), new Uint8Array([0xa9])]);
  });
});

describe('FakeClock and counting ids', () => {
  it('TEST-01 time passes only when the test says so', async () => {
    const clock = new FakeClock();
    const woken: number[] = [];
    const sleeps = [30, 10].map((ms) => clock.sleep(ms).then(() => woken.push(ms)));
    await clock.sleeping();
    clock.advance(9);
    await Promise.resolve();
    expect(woken).toEqual([]);
    clock.advance(1);
    await sleeps[1];
    expect([woken, clock.sleepers]).toEqual([[10], 1]);
    clock.advance(20);
    await sleeps[0];
    expect([clock.now(), clock.asked]).toEqual([30, [30, 10]]);
  });

  it('TEST-01 a signal wakes a sleeper, and one that fired lets nobody sleep', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const sleep = clock.sleep(1000, abort.signal);
    abort.abort();
    await sleep;
    await clock.sleep(1000, abort.signal);
    await clock.sleep(0);
    expect(clock.now()).toBe(0);
  });

  it('TEST-01 sleeping() waits for somebody to sleep', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const waited = clock.sleeping().then(() => log.push('somebody sleeps'));
    await Promise.resolve();
    log.push('sleep');
    const sleep = clock.sleep(5).then(() => log.push('awake'));
    await waited;
    clock.advance(5);
    await sleep;
    expect(log).toEqual(['sleep', 'somebody sleeps', 'awake']);
  });

  it('TEST-01 ids count by prefix', () => {
    const mint = countingIds();
    expect([mint('msg'), mint('call'), mint('msg')]).toEqual(['msg_1', 'call_1', 'msg_2']);
  });
});
