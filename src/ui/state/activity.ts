import type { Snapshot } from '../../session/protocol/wire.ts';
import { toolTitle } from '../lib/tool-names.ts';

/** What the session does now, for the top bar, the running strip and the status line. */
export interface Activity {
  readonly kind: 'idle' | 'running' | 'waiting' | 'stopping' | 'paused' | 'failed';
  readonly label: string;
}

/** The session's state in words. `stopping` is the run that this tab asked to stop. */
export function activityOf(snapshot: Snapshot, stopping: string | null): Activity {
  if (snapshot.status === 'awaiting_input') {
    const count = snapshot.pending.length;
    return { kind: 'waiting', label: count > 1 ? `Needs you (${count})` : 'Needs you' };
  }
  if (snapshot.status === 'running') {
    if (stopping !== null && stopping === snapshot.run) return { kind: 'stopping', label: 'Stopping…' };
    return { kind: 'running', label: runningLabel(snapshot) };
  }
  if (snapshot.lastEnded?.reason === 'failed') return { kind: 'failed', label: 'Failed' };
  if (snapshot.partial !== null && snapshot.lastEnded?.reason === 'interrupted') return { kind: 'paused', label: 'Paused' };
  return { kind: 'idle', label: 'Idle' };
}

function runningLabel({ step }: Snapshot): string {
  const running = step?.calls.filter((call) => call.state === 'running') ?? [];
  if (running.length > 1) return `Running ${running.length} tools`;
  const [call] = running;
  if (call !== undefined) return `Running ${toolTitle(call.name)}`;
  const last = step?.content.at(-1);
  if (last?.type === 'text' && step?.attributes === null) return 'Writing';
  if (last?.type === 'tool_call' && step?.attributes === null) return `Preparing ${toolTitle(last.name)}`;
  return 'Thinking';
}
