import { type AssembledCall, CallAssembler, type CallFragment } from './assembler.ts';
import type { EventBody } from './event.ts';
import { type Finish, type Message, type Part, type ProviderData, type ToolCallPart, toolCalls } from './message.ts';
import type { Delta } from './model.ts';
import { noUsage, type Usage } from './usage.ts';

/** A reply that is whole: the message, its usage, and why the model stopped. */
export interface Reply {
  readonly message: Message;
  readonly usage: Usage;
  readonly finish: Finish;
}

/** A call in the making, or a part; `whole` is one that takes no more text. */
type Slot = { readonly call: AssembledCall; shown: boolean; ready: boolean } | { readonly part: Part; readonly whole: boolean };

/** Folds the deltas of one reply, each exactly once, into a message and the events that tell of it (MODEL-09). */
export class ReplyAccumulator {
  readonly id: string;
  usage: Usage = noUsage;
  #finish: Finish | null = null;
  readonly #slots: Slot[];
  readonly #assembler: CallAssembler;

  /** Begins an empty reply, or goes on from an edit (INTR-06). */
  constructor(id: string, mintCallId: () => string, edit?: Message) {
    this.id = id;
    this.#slots = (edit?.content ?? []).map((part) => ({ part, whole: false }));
    this.#assembler = new CallAssembler(mintCallId);
  }

  /** Takes one delta; gives the events it makes, in order. */
  add(delta: Delta): EventBody[] {
    switch (delta.type) {
      case 'text':
      case 'reasoning':
        return this.#addProse(delta.type, delta.text, delta.provider);
      case 'border':
        return this.#endPart();
      case 'tool_call':
        return this.#addFragment(delta);
      case 'opaque':
        this.#slots.push({ part: { type: 'opaque', provider: delta.provider }, whole: true });
        return [];
      case 'usage':
        this.usage = delta.usage;
        return [];
      case 'finish':
        this.#finish = delta.finish;
        return [];
    }
  }

  /** Ends the reply: the last events, and the whole message. Calls whose arguments are no object are kept as malformed. */
  end(): { readonly events: EventBody[]; readonly reply: Reply } {
    const events = this.#slots.flatMap((slot) => ('call' in slot ? this.#endCall(slot) : []));
    const message = this.#message((slot) => callPart(slot.call, slot.ready));
    const finish = this.#settledFinish(message);
    events.push({ type: 'message_ended', id: this.id, message, usage: this.usage, finish });
    return { events, reply: { message, usage: this.usage, finish } };
  }

  /** The reply as delivered so far: its text, its reasoning, its complete calls (INTR-02). */
  partial(): Message {
    return this.#message((slot) => (slot.ready ? callPart(slot.call, true) : null));
  }

  #message(partOf: (slot: Extract<Slot, { call: AssembledCall }>) => Part | null): Message {
    const content = this.#slots.flatMap((slot) => ('call' in slot ? (partOf(slot) ?? []) : slot.part));
    return { id: this.id, role: 'assistant', content };
  }

  /** Data alone make a part of reasoning, as redacted reasoning is one; a text is only what was said. */
  #addProse(type: 'text' | 'reasoning', text: string, data: ProviderData | undefined): EventBody[] {
    const open = this.#openPart();
    const before = open?.type === type ? open : undefined;
    if (text === '' && (data === undefined || (type === 'text' && before === undefined))) return [];
    const provider = data === undefined ? before?.provider : { ...before?.provider, ...data };
    const part: Part = { ...before, type, text: (before?.text ?? '') + text, ...(provider === undefined ? {} : { provider }) };
    if (before !== undefined) this.#slots.pop();
    this.#slots.push({ part, whole: false });
    if (text === '') return [];
    return [{ type: type === 'text' ? 'text_delta' : 'reasoning_delta', id: this.id, text }];
  }

  #endPart(): EventBody[] {
    const part = this.#openPart();
    if (part !== undefined) this.#slots.splice(-1, 1, { part, whole: true });
    return [];
  }

  #addFragment(fragment: CallFragment): EventBody[] {
    const call = this.#assembler.add(fragment);
    const found = this.#slots.find((slot) => 'call' in slot && slot.call === call);
    const slot = found !== undefined && 'call' in found ? found : { call, shown: false, ready: false };
    if (found === undefined) this.#slots.push(slot);
    const wasShown = slot.shown;
    const events = this.#show(slot);
    // The first fragments are held until the name is known, a lone `{}` until it is known to be no placeholder.
    const text = wasShown ? (fragment.args ?? '') : call.args;
    if (slot.shown && text !== '' && !call.holdsPlaceholder) events.push({ type: 'tool_input_delta', id: call.id, json: text });
    if (slot.shown && call.closed) events.push(...this.#release(slot));
    return events;
  }

  /** A call that never got a name is still a call: it ends as one of an unknown tool. */
  #endCall(slot: Extract<Slot, { call: AssembledCall }>): EventBody[] {
    slot.call.name ||= 'unnamed';
    return [...this.#show(slot), ...this.#release(slot)];
  }

  #show(slot: { readonly call: AssembledCall; shown: boolean }): EventBody[] {
    if (slot.shown || slot.call.name === '') return [];
    slot.shown = true;
    return [{ type: 'tool_call_started', id: slot.call.id, name: slot.call.name }];
  }

  #release(slot: { readonly call: AssembledCall; readonly shown: boolean; ready: boolean }): EventBody[] {
    const input = slot.call.input();
    if (slot.ready || !slot.shown || input === null) return [];
    slot.ready = true;
    const { id, name } = slot.call;
    const held: EventBody[] = slot.call.holdsPlaceholder ? [{ type: 'tool_input_delta', id, json: slot.call.args }] : [];
    return [...held, { type: 'tool_call_ready', id, name, input }];
  }

  #openPart(): Part | undefined {
    const last = this.#slots.at(-1);
    return last !== undefined && 'part' in last && !last.whole ? last.part : undefined;
  }

  /** A call that was cut makes the reply one of finish length, whatever the server said (CC-15). */
  #settledFinish(message: Message): Finish {
    const finish = this.#finish ?? 'stop';
    if (finish !== 'stop' && finish !== 'tool_calls') return finish;
    if (this.#assembler.calls.some((call) => call.cut)) return 'length';
    return toolCalls(message).length > 0 ? 'tool_calls' : finish;
  }
}

function callPart(call: AssembledCall, ready: boolean): ToolCallPart {
  const providerId = call.providerId === undefined ? {} : { providerId: call.providerId };
  const malformed = ready ? {} : { malformed: call.args };
  const provider = call.provider === undefined ? {} : { provider: call.provider };
  return {
    type: 'tool_call',
    id: call.id,
    name: call.name,
    input: (ready ? call.input() : null) ?? {},
    ...providerId,
    ...malformed,
    ...provider,
  };
}
