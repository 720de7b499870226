/** What the model server is to say: so many deltas of so many characters, so many ms apart (0: as fast as they are read). */
export interface Directive {
  readonly deltas: number;
  readonly size?: number;
  readonly pause?: number;
}

/** Begins every delta, so that deltas can be counted however they were joined. It needs no escape in JSON. */
export const mark = '~';

/** The directive as the text of a question; with spaces behind it when it is to have a length. */
export function questionOf(directive: Directive, length = 0): string {
  return JSON.stringify(directive).padEnd(length);
}
