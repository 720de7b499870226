/** A file of a zip archive, as the archive's directory has it. Nothing of it was checked yet. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly executable: boolean;
  /** How many bytes it says that it unpacks to. */
  readonly size: number;
  readonly crc: number;
  readonly method: 'stored' | 'deflated';
  /** Its packed bytes. */
  readonly data: Uint8Array;
}

/** Signatures and sizes of records (APPNOTE 4.3). */
const end = { signature: 0x06054b50, size: 22, comment: 65_535 } as const;
const central = { signature: 0x02014b50, size: 46 } as const;
const local = { signature: 0x04034b50, size: 30 } as const;

/** The type in the upper bits of a Unix mode, and where attributes hold it. */
const types = { mask: 0o170000, folder: 0o040000, link: 0o120000 } as const;
const unixSystems: ReadonlySet<number> = new Set([3, 19]);

/** The entries of a zip archive; null for bytes that are none, that are broken, encrypted, of several parts or zip64, or packed in another way than deflate. */
export function directoryOf(bytes: Uint8Array): readonly ArchiveEntry[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = findEnd(view);
  if (at === null || view.getUint16(at + 4, true) !== 0) return null;
  const count = view.getUint16(at + 10, true);
  let offset = view.getUint32(at + 16, true);
  if (count === 0xffff || offset === 0xffffffff) return null;
  const entries: ArchiveEntry[] = [];
  for (let n = 0; n < count; n += 1) {
    const entry = entryAt(bytes, view, offset);
    if (entry === null) return null;
    entries.push(entry.entry);
    offset = entry.next;
  }
  return entries;
}

function findEnd(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - end.size - end.comment);
  for (let at = view.byteLength - end.size; at >= first; at -= 1) if (view.getUint32(at, true) === end.signature) return at;
  return null;
}

function entryAt(bytes: Uint8Array, view: DataView, at: number): { readonly entry: ArchiveEntry; readonly next: number } | null {
  if (at + central.size > view.byteLength || view.getUint32(at, true) !== central.signature) return null;
  const short = (offset: number): number => view.getUint16(at + offset, true);
  const long = (offset: number): number => view.getUint32(at + offset, true);
  const [system, flags, method, packed, size] = [short(4) >> 8, short(8), methods[short(10)], long(20), long(24)];
  const next = at + central.size + short(28) + short(30) + short(32);
  const name = nameIn(bytes.subarray(at + central.size, at + central.size + short(28)));
  const data = dataAt(bytes, view, long(42), packed);
  const isEncrypted = (flags & 1) !== 0;
  if (next > view.byteLength || method === undefined || isEncrypted || name === null || data === null || size === 0xffffffff)
    return null;
  const mode = unixSystems.has(system) ? long(38) >>> 16 : 0;
  const kind = kindOf(name, mode);
  return { entry: { name, kind, executable: (mode & 0o100) !== 0, size, crc: long(16), method, data }, next };
}

const methods: { readonly [code: number]: ArchiveEntry['method'] } = { 0: 'stored', 8: 'deflated' };

function kindOf(name: string, mode: number): ArchiveEntry['kind'] {
  if (name.endsWith('/') || (mode & types.mask) === types.folder) return 'folder';
  return (mode & types.mask) === types.link ? 'link' : 'file';
}

/** Old archives may hold names in other encodings; those that are no UTF-8 are not guessed at. */
function nameIn(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function dataAt(bytes: Uint8Array, view: DataView, at: number, packed: number): Uint8Array | null {
  if (at + local.size > view.byteLength || view.getUint32(at, true) !== local.signature) return null;
  const from = at + local.size + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  return from + packed > bytes.length ? null : bytes.subarray(from, from + packed);
}
