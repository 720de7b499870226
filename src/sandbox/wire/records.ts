import { ByteReader, joinBytes, readU32, u32 } from './reader.ts';

/**
 * What a record says of a path, relative to the root. `only` stands first and names all paths there are: others go, but where it is not
 * `anew` what the other side has not seen stays. `skipped` names what is there and does not travel.
 */
export type RecordHead =
  | { readonly op: 'only'; readonly paths: readonly string[]; readonly anew: boolean }
  | { readonly op: 'write'; readonly path: string; readonly size: number; readonly executable: boolean }
  | { readonly op: 'link'; readonly path: string; readonly target: string }
  | { readonly op: 'folder'; readonly path: string }
  | { readonly op: 'delete'; readonly path: string }
  | { readonly op: 'skipped'; readonly path: string; readonly reason: string };

/** A record with the bytes of its file; without any but for `write`. */
export interface FileRecord {
  readonly head: RecordHead;
  readonly bytes: Uint8Array;
}

/** A record as bytes: `[length u32][head as JSON][bytes]`. */
export function recordBytes(head: RecordHead, bytes: Uint8Array = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(head));
  return joinBytes([u32(json.length), json, bytes]);
}

/** The records of a stream. The last one is followed by a length of 0, without which the stream broke off: it throws then. */
export async function* readRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord, void, undefined> {
  const reader = new ByteReader(source);
  const need = async (length: number): Promise<Uint8Array> => {
    const bytes = await reader.read(length);
    if (bytes === null) throw new Error('The records broke off.');
    return bytes;
  };
  for (;;) {
    const length = readU32(await need(4));
    if (length === 0) return;
    const head: RecordHead = JSON.parse(new TextDecoder().decode(await need(length)));
    yield { head, bytes: await need(head.op === 'write' ? head.size : 0) };
  }
}

/** What stands after the last record. */
export const recordsEnd: Uint8Array<ArrayBuffer> = new Uint8Array(4);
