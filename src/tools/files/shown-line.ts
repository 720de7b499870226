const longest = 300;

/** A line as a message repeats it: of a long one the first 300 characters, cut at a code point. */
export function shownLine(line: string): string {
  if (line.length <= longest) return line;
  const halved = /[\uD800-\uDBFF]/.test(line[longest - 1] ?? '');
  return `${line.slice(0, halved ? longest - 1 : longest)}…`;
}
