/** What is shown of a search: lines of each file, and characters of a line. */
const shown = { lines: 20, characters: 200 } as const;

/**
 * What `grep` and `rg` find in several files, each file named once: below it the lines that match, at most 20, long ones cut.
 * @throws Error where a line does not name its file.
 */
export function shrinkFoundLines(output: string): string {
  const files = new Map<string, string[]>();
  for (const line of output.replace(/\n$/, '').split('\n')) {
    const match = /^([^:\0]+):(?:(\d+):)?(.*)$/.exec(line);
    const [, path = '', number, text = ''] = match ?? [];
    // Of a single file the lines have their numbers alone.
    if (path === '' || /^\d+$/.test(path)) throw new Error('A line does not name its file.');
    const lines = files.get(path) ?? [];
    files.set(path, lines);
    lines.push(`${number === undefined ? '' : `${number}:`} ${cut(text.trimEnd())}`.trimEnd());
  }
  return [...files]
    .flatMap(([path, lines]) => {
      const more = lines.length > shown.lines ? [`  and ${lines.length - shown.lines} more lines in this file`] : [];
      return [path, ...lines.slice(0, shown.lines), ...more];
    })
    .join('\n');
}

function cut(text: string): string {
  const points = [...text];
  return points.length > shown.characters ? `${points.slice(0, shown.characters).join('')}…` : text;
}
