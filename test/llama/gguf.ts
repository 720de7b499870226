/** A metadata value together with the GGUF type it is stored as. */
export type GgufValue =
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'f32s'; readonly value: readonly number[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] };

/** A 32-bit float tensor. `shape` is in GGUF order: the contiguous dimension first. */
export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const version = 3;
const alignment = 32;
const typeCode = { i32: 5, u32: 4, f32: 6, bool: 7, string: 8, array: 9 } as const;
const tensorTypeF32 = 0;

/** Serialises metadata and tensors as one little-endian GGUF version 3 file. */
export function writeGguf(metadata: ReadonlyMap<string, GgufValue>, tensors: readonly GgufTensor[]): Uint8Array {
  const out = new ByteWriter();
  out.bytes(new TextEncoder().encode('GGUF'));
  out.u32(version);
  out.u64(tensors.length);
  out.u64(metadata.size);
  for (const [key, value] of metadata) {
    out.string(key);
    writeValue(out, value);
  }
  let offset = 0;
  for (const tensor of tensors) {
    out.string(tensor.name);
    out.u32(tensor.shape.length);
    for (const size of tensor.shape) out.u64(size);
    out.u32(tensorTypeF32);
    out.u64(offset);
    offset = align(offset + tensor.data.byteLength);
  }
  for (const tensor of tensors) {
    out.pad(alignment);
    for (const value of tensor.data) out.f32(value);
  }
  out.pad(alignment);
  return out.finish();
}

function align(offset: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

function writeValue(out: ByteWriter, entry: GgufValue): void {
  switch (entry.type) {
    case 'u32':
      out.u32(typeCode.u32);
      return out.u32(entry.value);
    case 'f32':
      out.u32(typeCode.f32);
      return out.f32(entry.value);
    case 'bool':
      out.u32(typeCode.bool);
      return out.bytes(Uint8Array.of(entry.value ? 1 : 0));
    case 'string':
      out.u32(typeCode.string);
      return out.string(entry.value);
    case 'strings':
      writeArrayHeader(out, typeCode.string, entry.value.length);
      return entry.value.forEach((item) => out.string(item));
    case 'f32s':
      writeArrayHeader(out, typeCode.f32, entry.value.length);
      return entry.value.forEach((item) => out.f32(item));
    case 'i32s':
      writeArrayHeader(out, typeCode.i32, entry.value.length);
      return entry.value.forEach((item) => out.u32(item));
  }
}

function writeArrayHeader(out: ByteWriter, itemType: number, length: number): void {
  out.u32(typeCode.array);
  out.u32(itemType);
  out.u64(length);
}

class ByteWriter {
  #buffer = new Uint8Array(1 << 20);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  u32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  u64(value: number): void {
    this.#reserve(8);
    this.#view.setBigUint64(this.#length, BigInt(value), true);
    this.#length += 8;
  }

  f32(value: number): void {
    this.#reserve(4);
    this.#view.setFloat32(this.#length, value, true);
    this.#length += 4;
  }

  string(value: string): void {
    const encoded = new TextEncoder().encode(value);
    this.u64(encoded.length);
    this.bytes(encoded);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  pad(multiple: number): void {
    const rest = this.#length % multiple;
    if (rest > 0) this.bytes(new Uint8Array(multiple - rest));
  }

  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer);
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }
}
