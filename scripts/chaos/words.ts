/** What the model does with an input, step by step; after the last step of calls it answers. */
export type Plan = 'say' | 'look' | 'note' | 'ask' | 'many' | 'audit';

/** An input of the soak: a tag that no other input has, and what the model is to do. */
export interface Input {
  readonly tag: string;
  readonly plan: Plan;
}

/** The text of an input. */
export function inputText({ tag, plan }: Input): string {
  return `input ${tag} ${plan}`;
}

/** The last input in a text, since user messages that follow one another may reach a model as one; null when there is none. */
export function lastInput(text: string): Input | null {
  const [, tag, plan] = [...text.matchAll(/^input (\S+) (\w+)$/gm)].at(-1) ?? [];
  return tag === undefined || plan === undefined ? null : { tag, plan: plan as Plan };
}

/** The text of a note with a name. */
export const noteText = (name: string): string => `note ${name}.`;

/** The names of all notes in a text. */
export const notesIn = (text: string): string[] => [...text.matchAll(/\bnote (\S+)\.(?:\s|$)/g)].map(([, name = '']) => name);

/**
 * The words of a reply: what it is (`call` before calls, else `answer`), the input's tag, then it counts, so that a word which is missing or
 * there twice shows.
 */
export function replyWords(kind: 'call' | 'answer' | 'think', tag: string, count: number): string[] {
  const counted = Array.from({ length: count }, (_, index) => ` ${index + 1}`);
  return [`${kind} ${tag}`, ...counted, ' end'];
}

/** The input that a whole answer belongs to; null for any other text. */
export function answeredTag(text: string): string | null {
  return isWhole(text) ? (/^answer (\S+)/.exec(text)?.[1] ?? null) : null;
}

/** True for a whole reply. */
export function isWhole(text: string): boolean {
  return text.endsWith(' end') && isBeginning(text);
}

/** True for a reply as far as it has come: no word of it is missing or there twice. */
export function isBeginning(text: string): boolean {
  if (text === '') return true;
  const [kind, tag, ...rest] = text.split(' ');
  const words = rest.at(-1) === 'end' ? rest.slice(0, -1) : rest;
  return (
    /^(call|answer|think)$/.test(kind ?? '') && tag !== undefined && words.every((word, index) => word === String(index + 1))
  );
}
