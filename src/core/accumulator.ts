import { type AssembledCall, CallAssembler, type CallFragment } from './assembler.ts';
import type { Event } from './event.ts';
import { type Finish, type Message, type Part, type ProviderData, type ToolCallPart, toolCalls } from './message.ts';
import type { Delta } from './model.ts';
import { noUsage, type Usage } from './usage.ts';

/** A reply that is whole: the message, its usage, and why the model stopped. */
export interface Reply {
  readonly message: Message;
  readonly usage: Usage;
  readonly finish: Finish;
}

/** A call in the making. */
interface CallSlot {
  readonly call: AssembledCall;
  shown: boolean;
  ready: boolean;
}

/** Text or reasoning that still grows: deltas are added in place, since a new part for each costs as much as the rest of its way. */
interface Prose {
  readonly type: 'text' | 'reasoning';
  text: string;
  provider: ProviderData | undefined;
}

/** A call, a text, or a part that is whole. */
type Slot = CallSlot | { readonly prose: Prose } | { readonly part: Part };

/** Folds the deltas of one reply, each exactly once, into a message and the events that tell of it (MODEL-09). */
export class ReplyAccumulator {
  readonly id: string;
  usage: Usage = noUsage;
  readonly #turn: number;
  #finish: Finish | null = null;
  readonly #slots: Slot[];
  /** What the next delta of its kind is added to: the last slot, unless a border ended it. */
  #open: Prose | null;
  readonly #assembler: CallAssembler;

  /** Begins an empty reply in a turn, or goes on from an edit (INTR-06). */
  constructor(id: string, turn: number, mintCallId: () => string, edit?: Message) {
    this.id = id;
    this.#turn = turn;
    this.#slots = (edit?.content ?? []).map(slotOf);
    const last = this.#slots.at(-1);
    this.#open = last !== undefined && 'prose' in last ? last.prose : null;
    this.#assembler = new CallAssembler(mintCallId);
  }

  /** Takes one delta; gives the events it makes, in order. */
  add(delta: Delta): readonly Event[] {
    switch (delta.type) {
      case 'text':
      case 'reasoning':
        return this.#addProse(delta.type, delta.text, delta.provider);
      case 'border':
        this.#open = null;
        return [];
      case 'tool_call':
        return this.#addFragment(delta);
      case 'opaque':
        this.#push({ part: { type: 'opaque', provider: delta.provider } });
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
  end(): { readonly events: readonly Event[]; readonly reply: Reply } {
    const events = this.#slots.flatMap((slot) => ('call' in slot ? this.#endCall(slot) : []));
    const message = this.#message((slot) => callPart(slot.call, slot.ready));
    const finish = this.#settledFinish(message);
    events.push({ type: 'message_ended', turn: this.#turn, parent: null, id: this.id, message, usage: this.usage, finish });
    return { events, reply: { message, usage: this.usage, finish } };
  }

  /** The reply as delivered so far: its text, its reasoning, its complete calls (INTR-02). */
  partial(): Message {
    return this.#message((slot) => (slot.ready ? callPart(slot.call, true) : null));
  }

  #message(partOf: (slot: CallSlot) => Part | null): Message {
    const content = this.#slots.flatMap((slot) => {
      if ('call' in slot) return partOf(slot) ?? [];
      return 'prose' in slot ? partOfProse(slot.prose) : slot.part;
    });
    return { id: this.id, role: 'assistant', content };
  }

  /** Data alone make a part of reasoning, as redacted reasoning is one; a text is only what was said. */
  #addProse(type: 'text' | 'reasoning', text: string, provider: ProviderData | undefined): readonly Event[] {
    const open = this.#open?.type === type ? this.#open : null;
    if (text === '' && (provider === undefined || (type === 'text' && open === null))) return [];
    if (open === null) {
      const prose = { type, text, provider };
      this.#push({ prose });
      this.#open = prose;
    } else {
      open.text += text;
      if (provider !== undefined) open.provider = { ...open.provider, ...provider };
    }
    if (text === '') return [];
    return [{ type: type === 'text' ? 'text_delta' : 'reasoning_delta', turn: this.#turn, parent: null, id: this.id, text }];
  }

  #push(slot: Slot): void {
    this.#slots.push(slot);
    this.#open = null;
  }

  #addFragment(fragment: CallFragment): readonly Event[] {
    const call = this.#assembler.add(fragment);
    const found = this.#slots.find((slot) => 'call' in slot && slot.call === call);
    const slot = found !== undefined && 'call' in found ? found : { call, shown: false, ready: false };
    if (found === undefined) this.#push(slot);
    const wasShown = slot.shown;
    const events = this.#show(slot);
    // The first fragments are held until the name is known, a lone `{}` until it is known to be no placeholder.
    const text = wasShown ? (fragment.args ?? '') : call.args;
    if (slot.shown && text !== '' && !call.holdsPlaceholder) events.push(this.#inputDelta(call.id, text));
    if (slot.shown && call.closed) events.push(...this.#release(slot));
    return events;
  }

  /** A call that never got a name is still a call: it ends as one of an unknown tool. */
  #endCall(slot: CallSlot): Event[] {
    slot.call.name ||= 'unnamed';
    return [...this.#show(slot), ...this.#release(slot)];
  }

  #show(slot: CallSlot): Event[] {
    if (slot.shown || slot.call.name === '') return [];
    slot.shown = true;
    return [{ type: 'tool_call_started', turn: this.#turn, parent: null, id: slot.call.id, name: slot.call.name }];
  }

  #release(slot: CallSlot): Event[] {
    const input = slot.call.input();
    if (slot.ready || !slot.shown || input === null) return [];
    slot.ready = true;
    const { id, name } = slot.call;
    const held = slot.call.holdsPlaceholder ? [this.#inputDelta(id, slot.call.args)] : [];
    return [...held, { type: 'tool_call_ready', turn: this.#turn, parent: null, id, name, input }];
  }

  #inputDelta(id: string, json: string): Event {
    return { type: 'tool_input_delta', turn: this.#turn, parent: null, id, json };
  }

  /** A call that was cut makes the reply one of finish length, whatever the server said (CC-15). */
  #settledFinish(message: Message): Finish {
    const finish = this.#finish ?? 'stop';
    if (finish !== 'stop' && finish !== 'tool_calls') return finish;
    if (this.#assembler.calls.some((call) => call.cut)) return 'length';
    return toolCalls(message).length > 0 ? 'tool_calls' : finish;
  }
}

/** The slot of a part that an edit begins with: its last text goes on growing (INTR-06). */
function slotOf(part: Part): Slot {
  if (part.type !== 'text' && part.type !== 'reasoning') return { part };
  return { prose: { type: part.type, text: part.text, provider: part.provider } };
}

function partOfProse({ type, text, provider }: Prose): Part {
  return { type, text, ...(provider === undefined ? {} : { provider }) };
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
