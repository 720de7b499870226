import { textOf } from '../../core/message.ts';
import type { Snapshot } from '../../session/protocol/wire.ts';
import { toolTitle } from '../lib/tool-names.ts';

/** A sentence for screen readers; failures interrupt, the rest waits its turn. */
export interface Announcement {
  readonly text: string;
  readonly urgent: boolean;
}

/** What to say of the change between two states of a session; null when it is nothing worth a word. */
export function announcement(before: Snapshot | null, after: Snapshot): Announcement | null {
  if (before === null || before.scope !== after.scope) return null;
  if (after.status === 'awaiting_input' && before.pending !== after.pending && after.pending.length > 0)
    return calm(asking(after));
  if (before.status !== after.status) return ofStatus(after);
  if (before.step === null && after.step !== null && after.status === 'running') return calm('Writing.');
  return null;
}

function ofStatus(after: Snapshot): Announcement | null {
  if (after.status === 'running') return calm('Started.');
  if (after.status === 'awaiting_input') return calm(asking(after));
  const ended = after.lastEnded;
  switch (ended?.reason) {
    case 'failed':
      return { text: `Failed. ${ended.error?.message ?? ''}`.trim(), urgent: true };
    case 'cancelled':
      return calm('Stopped.');
    case 'interrupted':
      return calm('Paused. The reply can be edited.');
    case 'done':
    case 'stopped':
      return calm(`Done. ${firstSentence(lastReply(after))}`.trim());
    default:
      return null;
  }
}

function asking({ pending }: Snapshot): string {
  const first = pending[0];
  const need = first?.needs[0];
  if (first === undefined || need === undefined) return 'Needs you.';
  return need.type === 'approval' ? `Needs approval: ${toolTitle(first.call.name)}.` : `Asks: ${need.text}`;
}

function lastReply(snapshot: Snapshot): string {
  const message = snapshot.messages.findLast((one) => one.role === 'assistant');
  return message === undefined ? '' : textOf(message);
}

/** The first sentence of a text, without its marks, cut at 160 characters. */
export function firstSentence(text: string): string {
  const plain = text.replaceAll(/[`*_#>]+/g, '').trim();
  const sentence = /^[\s\S]*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain.split('\n')[0] ?? '';
  return sentence.length > 160 ? `${sentence.slice(0, 159)}…` : sentence;
}

function calm(text: string): Announcement {
  return { text, urgent: false };
}
