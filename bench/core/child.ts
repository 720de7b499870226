/** Plays scripts through one loop, in a process of its own, so that no loop runs in code that another one has shaped. */
import { expectedOf, scripts } from './script.ts';
import type { Contestant } from './contestant.ts';

const { contestant } = (await import(`./${process.argv[2]}.ts`)) as { contestant: Contestant };

/** How often a script is played before it counts: until the compiler has seen all of it. */
const warmUp = 50;

async function play(index: number): Promise<{ readonly ms: number; readonly events: number }> {
  const script = scripts[index];
  if (script === undefined) throw new Error(`There is no script ${index}.`);
  const began = performance.now();
  const told = await contestant.play(script);
  const ms = performance.now() - began;
  const expected = expectedOf(script);
  if (told.characters !== expected.characters || told.results !== expected.results)
    throw new Error(`${contestant.name} delivered ${JSON.stringify(told)} instead of ${JSON.stringify(expected)}.`);
  return { ms, events: told.events };
}

process.on('message', (request: { readonly script: number; readonly plays: number }) => {
  void (async () => {
    const played: { readonly ms: number; readonly events: number }[] = [];
    for (let n = 0; n < request.plays; n += 1) played.push(await play(request.script));
    process.send?.(played);
  })();
});
for (const index of scripts.keys()) for (let n = 0; n < warmUp; n += 1) await play(index);
process.send?.(contestant.name);
process.once('disconnect', () => process.exit());
