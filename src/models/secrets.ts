/** The most characters of a provider's sentence that an error repeats. */
const sentenceLimit = 500;

/** A provider's sentence, fit to be shown: keys and addresses blotted out, one line, at most 500 characters. */
export function shown(sentence: string): string {
  const clean = sentence
    .replace(/\bhttps?:\/\/[^\s"')]+/gi, '[address]')
    .replace(/\b(Bearer|Basic)\s+[^\s"',]+/gi, '$1 [key]')
    .replace(/\b(sk|pk|gsk|xai)[-_][\w*.-]{4,}/gi, '[key]')
    .replace(/\s+/g, ' ')
    .trim();
  return clean.length > sentenceLimit ? `${clean.slice(0, sentenceLimit)}…` : clean;
}
