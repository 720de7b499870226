import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { deltasOf, type Script, scripts } from '../core/script.ts';
import { interleaved, median } from '../lib/stats.ts';
import { figure, type Table } from '../lib/table.ts';
import { type Part, spread } from './part.ts';

/** The loops, by the files of `core`; the first is the floor. */
const files = ['floor', 'reins', 'pi', 'openai-agents', 'ai-sdk'];

/** How often all loops take their turn, and how often each plays the script then. */
const rounds = 10;
const plays = 5;

/** A loop in a process of its own. */
interface Loop {
  readonly name: string;
  readonly child: ChildProcess;
}

async function start(file: string): Promise<Loop> {
  const child = fork(join(import.meta.dirname, '../core/child.ts'), [file], {
    // What looks for these is not what is measured.
    env: { ...process.env, NODE_ENV: 'production', OPENAI_AGENTS_DISABLE_TRACING: '1' },
  });
  const [name] = (await once(child, 'message')) as [string];
  return { name, child };
}

async function play({ child }: Loop, script: number): Promise<{ readonly ms: number; readonly events: number }[]> {
  child.send({ script, plays });
  const [played] = (await once(child, 'message')) as [{ readonly ms: number; readonly events: number }[]];
  return played;
}

async function measure(loops: readonly Loop[], script: Script, index: number): Promise<Table> {
  const played = await interleaved(loops, rounds, (loop) => play(loop, index));
  const deltas = deltasOf(script);
  return {
    title: `${script.name}, ${rounds * plays} plays each`,
    head: ['', 'µs a delta, median (quartiles)', 'best', 'events', 'events/s, median'],
    rows: [...played].map(([{ name }, lists]) => {
      const all = lists.flat();
      const each = all.map(({ ms }) => (ms * 1000) / deltas);
      const perSecond = all.map(({ ms, events }) => (events * 1000) / ms);
      return [name, spread(each), figure(Math.min(...each)), figure(all[0]?.events ?? 0), figure(median(perSecond))];
    }),
  };
}

/** The loop alone, in Node, with a model that has all its deltas ready. */
export const part: Part = {
  name: 'core',
  async measure() {
    const loops: Loop[] = [];
    for (const file of files) loops.push(await start(file));
    const tables: Table[] = [];
    for (const [index, script] of scripts.entries()) tables.push(await measure(loops, script, index));
    for (const { child } of loops) child.disconnect();
    return tables;
  },
};
