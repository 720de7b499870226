import type { Hints } from '../../core/index.ts';

/** What becomes of a call: it does not run, a person is asked, it runs. */
export type Effect = 'deny' | 'ask' | 'allow';

/**
 * A rule of a policy, as data. It is about the calls that fit all its conditions; one without conditions is about every call. Of all rules about a call, or
 * about a part of its command, the most restrictive holds, whatever their order (POL-02, POL-06). Patterns have `*` for any text and `?` for any one
 * character, and mean the whole text; upper and lower case differ.
 */
export interface Rule {
  /** What verdicts call it: no other rule of the policy has the name. */
  readonly name: string;
  readonly effect: Effect;
  /** Told to the model where it denies, to the person where it asks. */
  readonly reason?: string;
  /** Patterns for the name of the tool: one of them fits. */
  readonly tools?: readonly string[];
  /** The modes it holds in, by name. */
  readonly modes?: readonly string[];
  /** What the tool says of itself; what a tool does not say of itself is false. */
  readonly hints?: Hints;
  /** Patterns for arguments, by their place in the input, as in `options.force`. What is no text is taken as its JSON; what is absent fits nothing. */
  readonly input?: { readonly [place: string]: string };
  /** Globs for the files that the call names: `**` stands for any folders. One that denies or asks wants one file that fits, one that allows all of them. */
  readonly paths?: readonly string[];
  /** What a command does: it is about these parts of it alone. */
  readonly shell?: ShellRule;
}

/** What of a shell command a rule is about: a program that it runs, files that it redirects from or to, variables that it sets. */
export type ShellRule =
  | {
      /** Patterns for the first words of a simple command, as in `git push`: any others may follow. */
      readonly run: string;
      /** Patterns, for each of which one of the words that follow fits. */
      readonly with?: readonly string[];
      /** Patterns, one of which fits each of the words that follow; an empty list: none follows. */
      readonly only?: readonly string[];
    }
  /** Globs for the targets of `>` and its like. Relative ones are for relative paths. */
  | { readonly writes: readonly string[] }
  /** Globs for the sources of `<`. */
  | { readonly reads: readonly string[] }
  /** Patterns for the names of variables. */
  | { readonly sets: readonly string[] };

const restrictiveness: { readonly [E in Effect]: number } = { deny: 0, ask: 1, allow: 2 };

/** Sorts effects: the most restrictive first. */
export function byEffect(a: Effect, b: Effect): number {
  return restrictiveness[a] - restrictiveness[b];
}
