import { byEffect, type Effect } from './rule.ts';

/** What holds for a call or for one part of its command, and why. */
export interface Finding {
  readonly effect: Effect;
  /** The part, as its text; null: the call as a whole. */
  readonly part: string | null;
  /** The rule that says so; null: none does. */
  readonly rule: string | null;
  /** Why, as a sentence without its full stop. */
  readonly why: string;
}

/** What becomes of a call. */
export interface Verdict extends Finding {
  /** All findings, the most restrictive first: the first one is the verdict. */
  readonly findings: readonly Finding[];
}

/** The verdict of findings: the most restrictive one, and of several the one that a rule gives. There is at least one. */
export function verdictOf(findings: readonly [Finding, ...Finding[]]): Verdict {
  const sorted = findings.toSorted((a, b) => byEffect(a.effect, b.effect) || Number(a.rule === null) - Number(b.rule === null));
  const [first = findings[0]] = sorted;
  return { ...first, findings: sorted };
}
