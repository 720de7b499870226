const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['hellip', '…'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['times', '×'],
  ['middot', '·'],
  ['rarr', '→'],
  ['larr', '←'],
]);

/** The text with its character references read: the common names and all numbers; others stay as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name = '') => {
      if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16), whole);
      if (decimal !== undefined) return fromCodePoint(Number(decimal), whole);
      return named.get(name) ?? whole;
    },
  );
}

function fromCodePoint(code: number, otherwise: string): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : otherwise;
}
