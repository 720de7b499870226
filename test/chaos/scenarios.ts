import type { JsonObject } from '../../src/core/index.ts';
import type { Snapshot } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, type Piece, reasoning, text } from '../session/support.ts';
import type { Survivor } from './survivor.ts';

/** A conversation that the matrix plays, once undisturbed and once for each death. */
export interface Scenario {
  /** The session is there before its first death can come. */
  readonly used: boolean;
  /** What the model says to a request that holds so many assistant messages: a step that is asked again gets the same. */
  reply(assistants: number): readonly Piece[];
  play(person: Survivor): Promise<void>;
}

/** Nothing runs and nothing waits for a person, after a turn. */
export const idle = ({ status, turn }: Snapshot): boolean => status === 'idle' && turn > 0;
const waits = ({ status }: Snapshot): boolean => status === 'awaiting_input';
/** The reply that streams has come to this text. */
export const speaks = (value: string) => (shown: Snapshot) => JSON.stringify(shown.step?.content ?? []).includes(value);

/** Answers to what waits, the staged ones left out: allows it, or gives a text. */
function answersTo({ pending, staged }: Snapshot): JsonObject[] {
  const open = pending.filter(({ call }) => !staged.some(({ callId }) => callId === call.id));
  return open.map(({ call, needs }) => ({
    callId: call.id,
    decisions: Object.fromEntries(needs.flatMap(({ id, type }) => (type === 'approval' ? [[id, { allowed: true }]] : []))),
    values: Object.fromEntries(needs.flatMap(({ id, type }) => (type === 'question' ? [[id, 'blue']] : []))),
  }));
}

/** The scenarios by name. Each call makes one anew: a gate opens once. */
export const scenarios: { readonly [name: string]: () => Scenario } = {
  'a plain turn, the first of its session': () => ({
    used: false,
    reply: () => [reasoning('Hm.'), text('Good '), text('day.')],
    async play(person) {
      await person.accept('turn', { message: 'Hello' });
      await person.sees(idle);
    },
  }),

  'a turn with several calls': () => ({
    used: true,
    reply: (assistants) =>
      [
        [text('Let me see.'), call('a', 'clock'), call('b', 'wait', { seconds: 0.01 }), call('c', 'wait', { seconds: 'long' })],
        [call('d', 'read_notes'), call('e', 'nothing_like_it')],
        [text('It is '), text('late.')],
      ][assistants] ?? [],
    async play(person) {
      await person.accept('turn', { message: 'What time is it?' });
      await person.sees(idle);
    },
  }),

  'a pause with answers': () => ({
    used: true,
    reply: (assistants) =>
      [
        [
          text('May I?'),
          call('a', 'wait', { seconds: 0.01 }),
          call('b', 'write_note', { text: 'milk' }),
          call('c', 'ask_user', { question: 'Which?' }),
          call('d', 'write_note', { text: 'bread' }),
        ],
        [text('Noted.')],
      ][assistants] ?? [],
    async play(person) {
      await person.accept('turn', { message: 'Note it' });
      const [first = {}] = answersTo(await person.sees(waits));
      await person.accept('answers', { answers: [first] });
      const rest = answersTo(await person.sees(({ staged }) => staged.length === 1));
      await person.accept('answers', { answers: rest });
      await person.sees(idle);
    },
  }),

  'a resume of an edited partial reply': () => ({
    used: true,
    reply: (assistants) =>
      [
        [text('Once upon'), new Gate()],
        [text(' a '), text('frog.')],
      ][assistants] ?? [],
    async play(person) {
      await person.accept('turn', { message: 'Tell me a story', id: 'story' });
      await person.sees(speaks('Once upon'));
      await person.accept('interrupt', { target: 'story' });
      await person.sees(idle);
      await person.accept('resume', { message: { content: 'Twice upon' } });
      await person.sees((shown) => idle(shown) && shown.turn === 2);
    },
  }),

  'a turn with steering and queued messages waiting': () => {
    const gate = new Gate();
    return {
      used: true,
      reply: (assistants) =>
        [[text('First '), gate, text('this.'), call('a', 'clock')], [text('Then that.')], [text('And that.')]][assistants] ?? [],
      async play(person) {
        await person.accept('turn', { message: 'one' });
        await person.sees(speaks('First'));
        await person.accept('interject', { message: 'two', delivery: 'queue' });
        await person.accept('interject', { message: 'three', delivery: 'steer' });
        gate.open();
        await person.sees((shown) => idle(shown) && shown.inbox.length === 0);
      },
    };
  },

  'a turn that is stopped': () => ({
    used: true,
    reply: (assistants) => [[call('a', 'clock')], [text('Too '), new Gate(), text('long.')]][assistants] ?? [],
    async play(person) {
      await person.accept('turn', { message: 'Hello', id: 'hello' });
      await person.sees(speaks('Too'));
      await person.accept('interject', { message: 'And more', delivery: 'queue' });
      await person.accept('cancel', { target: 'hello' });
      await person.sees(idle);
    },
  }),
};
