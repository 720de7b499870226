import { describe, expect, it, test } from 'vitest';
import { policyOf } from '../../../src/policy/index.ts';
import { corpus, corpusRules } from './corpus.ts';
import { shellCall, shellReader } from './support.ts';

const policy = policyOf(corpusRules, shellReader);
const judge = (command: string) => policy.judge(shellCall(command));

test('POL-05 the corpus has at least 150 commands, none of them twice', () => {
  const all = Object.values(corpus).flat();
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all.map(([, command]) => command)).size).toBe(all.length);
});

describe.each(Object.entries(corpus))('POL-02 POL-05 of %s', (_, cases) => {
  it.each(cases.map(([effect, command]) => [command.slice(0, 80), effect, command] as const))('%j: %s', (_, effect, command) => {
    const verdict = judge(command);
    expect(`${verdict.effect}: ${verdict.why}`).toMatch(new RegExp(`^${effect}: `));
  });
});
