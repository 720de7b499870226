import { describe, expect, it, test } from 'vitest';
import { policyOf } from '../../../src/policy/index.ts';
import { corpus, corpusRules } from './corpus.ts';
import { openCorpus, openRules } from './open-corpus.ts';
import { shellCall, shellReader } from './support.ts';

test.each([
  ['what is judged by rules for all', corpus],
  ['what is open but for two rules', openCorpus],
])('POL-05 the corpus of %s has at least 100 commands, none of them twice', (_, cases) => {
  const all = Object.values(cases).flat();
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(new Set(all.map(([, command]) => command)).size).toBe(all.length);
});

describe.each([
  ...Object.entries(corpus).map(([topic, cases]) => [topic, cases, corpusRules] as const),
  ...Object.entries(openCorpus).map(([topic, cases]) => [topic, cases, openRules] as const),
])('POL-02 POL-05 of %s', (_, cases, rules) => {
  const policy = policyOf(rules, shellReader);
  it.each(cases.map(([effect, command]) => [command.slice(0, 80), effect, command] as const))('%j: %s', (_, effect, command) => {
    const verdict = policy.judge(shellCall(command));
    expect(`${verdict.effect}: ${verdict.why}`).toMatch(new RegExp(`^${effect}: `));
  });
});
