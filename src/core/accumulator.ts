import { type AssembledCall, CallAssembler, type CallFragment } from './assembler.ts';
import type { EventBody } from './event.ts';
import type { JsonObject } from './json.ts';
import { type Finish, type Message, type Part, type ToolCallPart, toolCalls } from './message.ts';
import type { Delta } from './model.ts';
import { noUsage, type Usage } from './usage.ts';

/** A reply that is whole: the message, its usage, and why the model stopped. */
export interface Reply {
  readonly message: Message;
  readonly usage: Usage;
  readonly finish: Finish;
}

type Slot = { readonly call: AssembledCall; shown: boolean; ready: boolean } | { readonly part: Part };

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
    this.#slots = (edit?.content ?? []).map((part) => ({ part }));
    this.#assembler = new CallAssembler(mintCallId);
  }

  /** Takes one delta; gives the events it makes, in order. */
  add(delta: Delta): EventBody[] {
    switch (delta.type) {
      case 'text':
        return this.#addText(delta.text);
      case 'reasoning':
        return this.#addReasoning(delta.text, delta.provider);
      case 'tool_call':
        return this.#addFragment(delta);
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

  #addText(text: string): EventBody[] {
    if (text === '') return [];
    const last = this.#lastPart();
    if (last?.type === 'text') this.#replaceLast({ ...last, text: last.text + text });
    else this.#slots.push({ part: { type: 'text', text } });
    return [{ type: 'text_delta', id: this.id, text }];
  }

  #addReasoning(text: string, provider: JsonObject | undefined): EventBody[] {
    if (text === '' && provider === undefined) return [];
    const last = this.#lastPart();
    const before = last?.type === 'reasoning' ? last : undefined;
    const data = provider === undefined ? before?.provider : { ...before?.provider, ...provider };
    const part: Part = {
      type: 'reasoning',
      text: (before?.text ?? '') + text,
      ...(data === undefined ? {} : { provider: data }),
    };
    if (before === undefined) this.#slots.push({ part });
    else this.#replaceLast(part);
    return text === '' ? [] : [{ type: 'reasoning_delta', id: this.id, text }];
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

  #lastPart(): Part | undefined {
    const last = this.#slots.at(-1);
    return last !== undefined && 'part' in last ? last.part : undefined;
  }

  #replaceLast(part: Part): void {
    this.#slots[this.#slots.length - 1] = { part };
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
  return {
    type: 'tool_call',
    id: call.id,
    name: call.name,
    input: (ready ? call.input() : null) ?? {},
    ...providerId,
    ...malformed,
  };
}
