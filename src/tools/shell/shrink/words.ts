/** What a shell does something with, outside quotes: pipes, lists, redirects, groups, expansions, comments, several lines. */
const special = /[|&;<>(){}$`\n\\]/;

/** What it does something with at the start of a word. */
const leading = /[#~]/;

/**
 * The words of a single simple command, quotes taken away; null for anything else: a pipeline, a list, a redirect, an expansion (SHRINK-02). Assignments before
 * the command are left out.
 */
export function simpleWords(command: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] ?? '';
    if (character === "'" || character === '"') {
      const close = command.indexOf(character, at + 1);
      const quoted = command.slice(at + 1, close);
      // Double quotes leave expansions and escapes as they are; whoever uses them means more than a word.
      if (close < 0 || (character === '"' && /[$`\\]/.test(quoted))) return null;
      word = (word ?? '') + quoted;
      at = close;
    } else if (character === ' ' || character === '\t') {
      if (word !== null) words.push(word);
      word = null;
    } else if (special.test(character) || (word === null && leading.test(character))) {
      return null;
    } else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  const first = words.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one));
  return first < 0 || words[first] === '!' ? null : words.slice(first);
}

/** The options among words: `-n`, `--stat`, of `--format=x` the part before the sign, of `-rn` each letter. What follows `--` is none. */
export function optionsOf(words: readonly string[]): ReadonlySet<string> {
  const end = words.indexOf('--');
  const options = new Set<string>();
  for (const word of end < 0 ? words : words.slice(0, end)) {
    if (word.startsWith('--')) options.add(word.replace(/=.*$/s, ''));
    else if (/^-[A-Za-z]/.test(word)) {
      options.add(word);
      for (const letter of word.slice(1)) options.add(`-${letter}`);
    }
  }
  return options;
}
