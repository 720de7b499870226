/** The typographic forms that models turn into plain ones, and back. */
const plain: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201A\u201B\u2032]/g, "'"],
  [/[\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' '],
  [/[\u200B\uFEFF]/g, ''],
];

/** A line with plain quotation marks, dashes and spaces, in one Unicode form, without white space at its end. */
export function plainLine(line: string): string {
  let text = line.normalize('NFC');
  for (const [form, instead] of plain) text = text.replace(form, instead);
  return text.trimEnd();
}

/** A line as it is read aloud: white space of any kind and length is one blank. */
export function spokenLine(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}
