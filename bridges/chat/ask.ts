import type { Answer, Approval, Decision, Json, Pending, Question } from '../../src/core/index.ts';
import { readable } from './large.ts';
import type { Lines } from './terminal.ts';

/** Asks a person for what a call needs; null when nobody answers any more. */
export async function askFor(pending: Pending, lines: Lines): Promise<Answer | null> {
  const decisions: Record<string, Decision> = {};
  const values: Record<string, Json> = {};
  for (const need of pending.needs) {
    if (need.type === 'approval') {
      const decision = await askUntil(lines, approvalPrompt(pending, need), readDecision);
      if (decision === null) return null;
      decisions[need.id] = decision;
    } else {
      const value = await askUntil(lines, questionPrompt(need), (line) => readValue(need, line));
      if (value === null) return null;
      if (value === declined) decisions[need.id] = { allowed: false, reason: null };
      else values[need.id] = value;
    }
  }
  return { callId: pending.call.id, decisions, values };
}

const declined = Symbol('declined');

/** A decision from `y`, `n` or `n` and a reason; undefined when it is none of these. */
export function readDecision(line: string): Decision | undefined {
  const [, word, reason] = /^(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line.trim()) ?? [];
  if (word === undefined) return undefined;
  const allowed = word.toLowerCase().startsWith('y');
  return { allowed, reason: allowed || reason === undefined || reason === '' ? null : reason };
}

/** A value from a choice's number or text, or any text when all will do; an empty line declines. Undefined: it is no choice. */
function readValue({ choices }: Question, line: string): string | typeof declined | undefined {
  const text = line.trim();
  if (text === '') return declined;
  if (choices === null || choices.includes(text)) return text;
  return /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
}

async function askUntil<T>(lines: Lines, prompt: string, read: (line: string) => T | undefined): Promise<T | null> {
  for (;;) {
    const line = await lines.ask(prompt);
    if (line === null) return null;
    const value = read(line);
    if (value !== undefined) return value;
  }
}

function approvalPrompt({ call }: Pending, need: Approval): string {
  return `\n${need.reason}: ${call.name} ${readable(call.input)}\nAllow? (y, n, or n and a reason) `;
}

function questionPrompt({ text, choices }: Question): string {
  if (choices === null) return `\n${text}\n(an empty line declines) `;
  return `\n${text}\n${choices.map((choice, index) => `  ${index + 1}. ${choice}`).join('\n')}\n(a number; an empty line declines) `;
}
