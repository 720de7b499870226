import { addUsage, type Delta, type Message, noUsage, ReplyAccumulator } from '../../core/index.ts';
import type { MessagesDecoder } from './decode.ts';

/** How often one reply goes on after a pause; then it ends as `other`. */
const pauseLimit = 10;

/**
 * The deltas of a reply that the server may pause in the middle of its own tools (`pause_turn`, ANT-08). Each pause is answered as the API has it: the
 * same request again with what was said so far as it is, and nothing added (INTR-16). It stays one reply, with one finish; its usage is that of all
 * its requests.
 */
export async function* throughPauses(
  ask: (said: Message | null) => { readonly decoder: MessagesDecoder; readonly deltas: AsyncIterable<Delta> },
): AsyncGenerator<Delta, void, undefined> {
  const reply = new ReplyAccumulator('reply', 0, () => 'call');
  let before = noUsage;
  for (let pauses = 0; ; pauses += 1) {
    let spent = noUsage;
    const { decoder, deltas } = ask(pauses === 0 ? null : reply.partial());
    for await (const delta of deltas) {
      if (delta.type === 'finish' && decoder.paused && pauses < pauseLimit) continue;
      if (delta.type === 'usage') spent = delta.usage;
      reply.add(delta);
      yield delta.type === 'usage' ? { type: 'usage', usage: addUsage(before, spent) } : delta;
    }
    if (!decoder.paused || pauses === pauseLimit) return;
    before = addUsage(before, spent);
    reply.add({ type: 'border' });
    yield { type: 'border' };
  }
}
