/** A tool call of a scripted reply; its arguments stream in `fragments`. */
export interface ScriptedCall {
  readonly id: string;
  readonly key: string;
  readonly fragments: readonly string[];
}

/** One reply of the model: its text in pieces, then its calls. */
export interface ScriptedStep {
  readonly texts: readonly string[];
  readonly calls: readonly ScriptedCall[];
}

/** What every loop plays: the same replies in the same pieces. The last one calls nothing. */
export interface Script {
  readonly name: string;
  readonly steps: readonly ScriptedStep[];
}

/** The one tool of every script: it gives back what `lookup` says. */
export const toolName = 'lookup';

/** What the tool answers. */
export function lookup(key: string): string {
  return `The value of ${key} is ${key.length}.`;
}

function step(index: number, texts: number, calls: number): ScriptedStep {
  return {
    texts: Array.from({ length: texts }, (_, n) => ` word${n % 100}`),
    calls: Array.from({ length: calls }, (_, n) => {
      const key = `entry ${index}.${n}`;
      const args = JSON.stringify({ key });
      return { id: `call_${index}_${n}`, key, fragments: args.match(/.{1,4}/g) ?? [] };
    }),
  };
}

/** The scripts of the bench: one long reply, and a run of many steps that call tools. */
export const scripts: readonly Script[] = [
  { name: 'one reply of 20,000 text deltas', steps: [step(0, 20_000, 0)] },
  {
    name: '50 steps of 100 text deltas and 2 tool calls',
    steps: [...Array.from({ length: 49 }, (_, n) => step(n, 100, 2)), step(49, 100, 0)],
  },
];

/** How many deltas a script has, those of arguments included. */
export function deltasOf(script: Script): number {
  return script.steps.reduce(
    (sum, { texts, calls }) => sum + texts.length + calls.reduce((inner, call) => inner + call.fragments.length, 0),
    0,
  );
}

/** What a loop must have delivered: the characters of text, and the results of tools. */
export function expectedOf(script: Script): { readonly characters: number; readonly results: number } {
  return {
    characters: script.steps.reduce((sum, { texts }) => sum + texts.join('').length, 0),
    results: script.steps.reduce((sum, { calls }) => sum + calls.length, 0),
  };
}
