import { Gate } from '../../src/testing/index.ts';
import { call, type ChatMessage, type ChatRequest, type Piece, reasoning, text } from '../../test/e2e/fake-openai.ts';
import { Random } from './random.ts';
import { noteText, lastInput, type Plan, replyWords } from './words.ts';

interface PlannedCall {
  readonly name: string;
  readonly input: object;
}

const clock: PlannedCall = { name: 'clock', input: {} };
const wait = (seconds: number): PlannedCall => ({ name: 'wait', input: { seconds } });
const ask: PlannedCall = { name: 'ask_user', input: { question: 'Which?' } };
const note = (name: string): PlannedCall => ({ name: 'write_note', input: { text: noteText(name) } });
const readNotes: PlannedCall = { name: 'read_notes', input: {} };

/** The calls of each step of a plan. */
const plans: { readonly [plan in Plan]: (tag: string) => readonly (readonly PlannedCall[])[] } = {
  say: () => [],
  look: () => [[clock, wait(0.3)], [clock]],
  note: (tag) => [[note(`${tag}.0`)]],
  ask: () => [[ask]],
  many: (tag) => [[clock, wait(0.2), note(`${tag}.0`), note(`${tag}.1`), ask], [note(`${tag}.2`)]],
  audit: () => [[readNotes]],
};

/** The last input of a request, how many steps of calls have followed it, and the messages before the model speaks. */
export interface Asked {
  readonly tag: string;
  readonly plan: Plan;
  readonly step: number;
}

/** What a request asks of the scripted model; null when it holds no input of the soak. */
export function askedIn(messages: readonly ChatMessage[]): Asked | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const input = message?.role === 'user' ? lastInput(String(message.content)) : null;
    if (input === null) continue;
    const step = messages.slice(index).filter(({ tool_calls }) => (tool_calls?.length ?? 0) > 0).length;
    return { ...input, step };
  }
  return null;
}

/**
 * The scripted model: what it says follows from the conversation alone, so that a step which is asked again gets the same answer; only the
 * pace is drawn anew. It speaks a word at a time, as a server streams.
 */
export function soakModel(seed: number): (request: ChatRequest) => readonly Piece[] {
  const random = new Random(seed);
  return ({ messages }) => {
    const asked = askedIn(messages);
    if (asked === null) throw new Error('A request came without an input of the soak.');
    const { tag, plan, step } = asked;
    const calls = plans[plan](tag)[step] ?? [];
    const said = replyWords(calls.length > 0 ? 'call' : 'answer', tag, 4 + (tag.length % 9)).map(text);
    const thought = plan === 'look' ? replyWords('think', tag, 5).map(reasoning) : [];
    const made = calls.map(({ name, input }, index) => call(`${tag}-${step}-${index}`, name, input));
    return paced([...thought, ...said, ...made], random);
  };
}

/** Puts a pause before every piece: a long one before the first, then some milliseconds. */
function paced(pieces: readonly Piece[], random: Random): readonly Piece[] {
  let at = random.between(0, 250);
  return pieces.flatMap((piece) => {
    const gate = new Gate();
    setTimeout(() => gate.open(), at).unref();
    at += random.between(1, 40);
    return [gate, piece];
  });
}
