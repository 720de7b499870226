import { ByteReader, joinBytes, readU32, u32 } from './reader.ts';

/** How a command ended: its shell's exit code, or the signal that ended it; and whether it was killed, and why. */
export interface EndFrame {
  readonly code: number | null;
  /** The number of the signal. */
  readonly signal: number | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
}

/** Why a command was not started. */
export interface RefusedFrame {
  readonly reason: string;
  /** Bytes of the command. */
  readonly size: number;
}

/**
 * What the server sends while a command runs. Exactly one `end` or `refused` closes the stream: one that ends without tells that the server is
 * gone, and says nothing of the command.
 */
export type Frame =
  | { readonly type: 'data'; readonly bytes: Uint8Array }
  | ({ readonly type: 'end' } & EndFrame)
  | ({ readonly type: 'refused' } & RefusedFrame);

const types = ['data', 'end', 'refused'] as const;

/** No frame is longer, in bytes: what announces more is no stream of ours. */
const frameLimit = 16_777_216;

/** A frame as bytes: `[type u8][length u32][bytes]`, numbers with the highest byte first. */
export function frameBytes(frame: Frame): Uint8Array {
  const { type, ...rest } = frame;
  const body = frame.type === 'data' ? frame.bytes : new TextEncoder().encode(JSON.stringify(rest));
  return joinBytes([Uint8Array.of(types.indexOf(type) + 1), u32(body.length), body]);
}

/** The frames of a stream, as they arrive; it just ends where the stream breaks off or is none of ours. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  const reader = new ByteReader(source);
  try {
    for (let head = await reader.read(5); head !== null; head = await reader.read(5)) {
      const type = types[(head[0] ?? 0) - 1];
      const length = readU32(head.subarray(1));
      const body = type === undefined || length > frameLimit ? null : await reader.read(length);
      if (type === undefined || body === null) return;
      yield type === 'data' ? { type, bytes: body } : { type, ...JSON.parse(new TextDecoder().decode(body)) };
    }
  } finally {
    await reader.close();
  }
}
