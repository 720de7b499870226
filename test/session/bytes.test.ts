import { describe, expect, it } from 'vitest';
import { joinWindow } from '../../src/session/joiner.ts';
import { fakeChat, type Frame, type Started, TestSession, type TestSocket, text } from './support.ts';

const chat = fakeChat();

/** Bytes of a frame; the tests hold ASCII only. */
const sizeOf = (frame: Frame): number => JSON.stringify(frame).length;

const total = (frames: readonly Frame[]): number => frames.reduce((sum, frame) => sum + sizeOf(frame), 0);

/** The frames that came from index `from` on, but for those that tell who is there: these come in their own time. */
const framesOf = (socket: TestSocket, from = 0): readonly Frame[] =>
  socket.frames.slice(from).filter(({ type }) => type !== 'presence');

/** Plays a turn with a reply of so many deltas; gives the frames that each socket got of it, and how long it took, in ms. */
async function play(
  sockets: readonly TestSocket[],
  deltas: number,
): Promise<{ readonly frames: readonly (readonly Frame[])[]; readonly took: number }> {
  const [asker] = sockets;
  if (asker === undefined) throw new Error('A turn is asked for over a socket');
  const before = sockets.map((socket) => socket.frames.length);
  chat.reply(...Array.from({ length: deltas }, () => text('word, ')));
  const began = Date.now();
  const { run } = (await asker.command('turn', { message: 'go' })).result as unknown as Started;
  const ends = (frame: Frame): boolean => (frame.lastEnded as { run?: string } | null | undefined)?.run === run;
  await Promise.all(sockets.map((socket, index) => socket.frame(ends, before[index])));
  return { frames: sockets.map((socket, index) => framesOf(socket, before[index])), took: Date.now() - began };
}

/** A session with two sockets that has had its first turn, with what only a first turn tells. */
async function begun(): Promise<{ readonly session: TestSession; readonly sockets: readonly TestSocket[] }> {
  const session = new TestSession();
  const sockets = [await session.socket(), await session.socket()];
  await play(sockets, 1);
  return { session, sockets };
}

describe('what a turn sends', () => {
  it.each([5, 100, 500, 2_000])(
    'a turn of %i deltas sends each socket its text four times, 2,450 bytes, and 140 bytes for each window in which deltas were joined',
    async (deltas) => {
      const { sockets } = await begun();
      const { frames, took } = await play(sockets, deltas);
      const windows = 2 + Math.ceil(took / joinWindow);
      for (const got of frames) {
        const parts = got.filter(({ type }) => type === 'text_delta');
        expect(parts.map((frame) => frame.text).join('')).toBe('word, '.repeat(deltas));
        expect(parts.length).toBeLessThanOrEqual(windows);
        expect(total(got)).toBeLessThanOrEqual(4 * 'word, '.length * deltas + 2_450 + 140 * parts.length);
      }
    },
  );

  it('a socket that only reads is sent what the one that asks is sent, but for the answer to its command', async () => {
    const { sockets } = await begun();
    const { frames } = await play(sockets, 100);
    const [asker, reader] = frames as [Frame[], Frame[]];
    expect(asker.filter(({ type }) => type !== 'ack')).toEqual(reader);
    expect(total(asker) - total(reader)).toBeLessThanOrEqual(150);
  });
});

describe('what a tab is sent when it comes', () => {
  it('to a session that was never used: at most 650 bytes', async () => {
    const socket = await new TestSession().socket();
    expect(total(framesOf(socket))).toBeLessThanOrEqual(650);
  });

  it('with its cursor: the events that it missed, and at most 100 bytes more', async () => {
    const { session, sockets } = await begun();
    const { epoch, seq } = await session.snapshot();
    const { frames } = await play(sockets, 500);
    const missed = frames[1] ?? [];
    const back = await session.socket(`${epoch}.${seq}`);
    await back.frame((frame) => frame.type === 'state' && frame.lastEnded !== undefined);
    const events = framesOf(back).filter((frame) => typeof frame.seq === 'number');
    expect(events).toEqual(missed);
    expect(total(framesOf(back)) - total(missed)).toBeLessThanOrEqual(100);
  });
});
