/** The most names that are shown of one folder. */
const shown = 60;

/**
 * What `find` and `fd` list, by folder, each named once, its names behind it.
 * @throws Error for a name that has a comma, which could not be told from two.
 */
export function shrinkFoundPaths(output: string): string {
  const folders = new Map<string, string[]>();
  for (const line of output.replace(/\n$/, '').split('\n')) {
    if (line.includes(', ')) throw new Error('A name has a comma.');
    const slash = line.replace(/\/$/, '').lastIndexOf('/');
    const folder = line.slice(0, slash + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), line.slice(slash + 1)]);
  }
  return [...folders]
    .map(([folder, names]) => {
      const more = names.length > shown ? `, and ${names.length - shown} more` : '';
      return `${folder === '' ? '' : `${folder} `}${names.slice(0, shown).join(', ')}${more}`;
    })
    .join('\n');
}
