import { type Delta, type Finish, ModelError } from '../../core/index.ts';
import type { Beat, Script } from './script.ts';

/** What comes after a wait of `ms`: a delta, or the failure that ends the reply. */
export interface Tick {
  readonly ms: number;
  readonly delta: Delta | ModelError;
}

/** A script word by word, `pace` ms each where it names no pace of its own. A word counts as a token. */
export function play(script: Script, pace: number): readonly Tick[] {
  let calls = 0;
  return script.flatMap((beat) => {
    const ms = (beat.type === 'text' ? beat.pace : undefined) ?? pace;
    if (beat.type === 'call') calls += 1;
    return deltas(beat, calls - 1).map((delta) => ({ ms, delta }));
  });
}

/** Why a script ends that is played to its end. */
export function finishOf(script: Script): Finish {
  for (const beat of script) if (beat.type === 'finish') return beat.finish;
  return script.some((beat) => beat.type === 'call') ? 'tool_calls' : 'stop';
}

/** Words, each with the white space before it. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** A beat as a provider would stream it; `index` counts the calls from 0. */
function deltas(beat: Beat, index: number): readonly (Delta | ModelError)[] {
  switch (beat.type) {
    case 'text':
    case 'reasoning':
      return words(beat.text).map((text) => ({ type: beat.type, text }));
    case 'call': {
      const args = words(JSON.stringify(beat.input)).map((piece): Delta => ({ type: 'tool_call', index, args: piece }));
      return [{ type: 'tool_call', index, id: `demo_${index + 1}`, name: beat.name }, ...args];
    }
    case 'fail':
      return [new ModelError(beat.kind, beat.message, beat.retryAfter)];
    case 'finish':
      return [];
  }
}
