/** What the first bytes of a file say it is. */
const marks: readonly { readonly mediaType: string; readonly bytes: readonly number[]; readonly at?: number }[] = [
  { mediaType: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mediaType: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { mediaType: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61] },
  { mediaType: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] },
  { mediaType: 'image/webp', bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
  { mediaType: 'application/pdf', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { mediaType: 'application/zip', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { mediaType: 'application/gzip', bytes: [0x1f, 0x8b] },
  { mediaType: 'application/wasm', bytes: [0x00, 0x61, 0x73, 0x6d] },
  { mediaType: 'application/x-elf', bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { mediaType: 'text/plain; charset=utf-16', bytes: [0xff, 0xfe] },
  { mediaType: 'text/plain; charset=utf-16', bytes: [0xfe, 0xff] },
];

/** The media type of a file that is no UTF-8 text, by its first bytes; null for one that is not known. */
export function mediaTypeOf(head: Uint8Array): string | null {
  const mark = marks.find(({ bytes, at = 0 }) => bytes.every((byte, index) => head[at + index] === byte));
  return mark?.mediaType ?? null;
}

/** Whether models take images of this type. */
export function isImage(mediaType: string | null): mediaType is string {
  return mediaType?.startsWith('image/') === true;
}
