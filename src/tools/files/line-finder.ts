import { RE2JS, RE2JSException } from 're2js';

/** Where a line matches first, [start, end) in characters; null where it does not. */
export type LineFinder = (line: string) => { readonly start: number; readonly end: number } | null;

/**
 * Finds a pattern in lines, in a time that is linear in the line whatever the pattern is (FILES-11): the syntax is RE2's. Gives a sentence instead for a pattern
 * that cannot be used.
 */
export function lineFinder(
  pattern: string,
  { ignoreCase, literal }: { readonly ignoreCase: boolean; readonly literal: boolean },
): LineFinder | string {
  try {
    const expression = RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => {
      if (!expression.test(line)) return null;
      const matcher = expression.matcher(line);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null;
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return (
      `The pattern cannot be used: ${error.message}. It is a regular expression in the syntax of RE2, which has no look-ahead, look-behind and back-references, ` +
      'so that every search ends in time. Set literal to search for the text as it is.'
    );
  }
}
