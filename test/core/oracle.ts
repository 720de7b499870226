import type { Delivery, Reason } from '../../src/core/index.ts';

export type ToolName = 'read' | 'write';

/** How a call ends when the test says so: with a result, with an exception, or by asking for an approval. */
export type Ending = 'ok' | 'throw' | 'ask';

interface OracleCall {
  readonly n: number;
  readonly tool: ToolName;
  state: 'unstarted' | 'running' | 'settled' | 'asked';
  result: string;
  denied: boolean;
}

interface OracleReply {
  text: string;
  calls: OracleCall[];
  /** Where the assistant line stands already: set in the step of answered calls. */
  readonly at: number | null;
}

export interface OracleEnd {
  readonly reason: Reason;
  readonly queued: readonly string[];
  readonly partial: string | null;
}

/**
 * What a Run must do, said in the plainest way: a conversation as lines (as `brief` writes them), acted on one at a time while
 * nothing else moves. It knows nothing of promises, events or ids.
 */
export class Oracle {
  readonly limit: number;
  lines: string[] = [];
  phase: 'idle' | 'reply' | 'calls' = 'idle';
  waiting: { readonly text: string; readonly delivery: Delivery }[] = [];
  ended: OracleEnd | null = null;
  #reply: OracleReply = { text: '', calls: [], at: null };
  #paused: OracleReply | null = null;
  #steps = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get running(): readonly number[] {
    return this.#reply.calls.filter((call) => call.state === 'running').map((call) => call.n);
  }

  get pending(): readonly number[] {
    return (this.#paused?.calls ?? []).filter((call) => call.state === 'asked').map((call) => call.n);
  }

  get resumable(): boolean {
    return this.phase === 'idle' && this.#paused === null && /^(user|results):/.test(this.lines.at(-1) ?? '');
  }

  message(text: string): void {
    this.lines.push(`user: ${text}`);
    this.#begin();
    this.#next('');
  }

  resume(edit: string): void {
    this.#begin();
    this.#next(edit);
  }

  /** Answers the pending calls, allowed or denied, in their order. */
  answer(allowed: readonly boolean[]): void {
    this.#begin();
    const asked = [...allowed];
    const calls = (this.#paused?.calls ?? []).map((call): OracleCall => {
      if (call.state !== 'asked') return { ...call };
      return { ...call, state: 'unstarted', denied: asked.shift() === false };
    });
    this.#reply = { text: '', calls, at: this.#paused?.at ?? null };
    this.#run();
  }

  text(text: string): void {
    this.#reply.text += text;
  }

  call(n: number, tool: ToolName): void {
    this.#reply.calls.push({ n, tool, state: 'unstarted', result: '', denied: false });
  }

  endReply(): void {
    if (this.#reply.calls.length === 0) this.#close();
    else this.#run();
  }

  fail(): void {
    this.#end('failed');
  }

  endCall(n: number, ending: Ending): void {
    const call = this.#reply.calls.find((one) => one.n === n);
    if (call === undefined) return;
    call.state = ending === 'ask' ? 'asked' : 'settled';
    call.result = ending === 'throw' ? `!broken ${n}` : `ok ${n}`;
    this.#advance();
  }

  interject(text: string, delivery: Delivery): void {
    this.waiting.push({ text, delivery });
  }

  cancel(): void {
    if (this.phase !== 'idle') this.#end('cancelled');
  }

  interrupt(): void {
    if (this.phase !== 'idle') this.#end('interrupted', this.#reply.at === null ? assistantLine(this.#reply) : null);
  }

  #begin(): void {
    this.#steps = 0;
    this.ended = null;
  }

  #next(text: string): void {
    this.#reply = { text, calls: [], at: null };
    this.phase = 'reply';
  }

  #run(): void {
    this.phase = 'calls';
    for (const call of this.#reply.calls) if (call.tool === 'read') this.#startCall(call);
    this.#advance();
  }

  #advance(): void {
    for (const call of this.#reply.calls) {
      if (this.running.length > 0) return;
      if (call.tool === 'write') this.#startCall(call);
    }
    if (this.running.length === 0) this.#close();
  }

  #startCall(call: OracleCall): void {
    if (call.state !== 'unstarted') return;
    const steered = this.waiting.some((item) => item.delivery === 'steer');
    call.state = steered || call.denied ? 'settled' : 'running';
    call.result = steered ? '!Skipped: the user sent a message' : '!Denied';
  }

  #close(): void {
    const { calls, at } = this.#reply;
    if (at === null) {
      this.lines.push(assistantLine(this.#reply));
      this.#steps += 1;
    } else this.lines = this.lines.slice(0, at + 1);
    const results = calls.filter((call) => call.state === 'settled').map((call) => call.result);
    const place = this.lines.length - 1;
    if (results.length > 0) this.lines.push(`results: ${results.join(' | ')}`);
    const asked = calls.some((call) => call.state === 'asked');
    this.#paused = asked ? { ...this.#reply, at: place } : null;
    if (asked) this.#end('awaiting_input');
    else this.#boundary(calls.length > 0);
  }

  #boundary(called: boolean): void {
    if (!called && this.waiting.length === 0) return this.#end('done');
    if (this.#steps >= this.limit) return this.#end('stopped');
    const steers = this.waiting.filter((item) => item.delivery === 'steer');
    const landing = called || steers.length > 0 ? steers : this.waiting.slice(0, 1);
    this.waiting = this.waiting.filter((item) => !landing.includes(item));
    for (const item of landing) this.lines.push(`user: ${item.text}`);
    this.#next('');
  }

  #end(reason: Reason, partial: string | null = null): void {
    const of = (delivery: Delivery): string[] =>
      this.waiting.filter((item) => item.delivery === delivery).map((item) => item.text);
    this.ended = { reason, queued: [...of('steer'), ...of('queue')], partial };
    this.waiting = [];
    this.phase = 'idle';
    this.#reply = { text: '', calls: [], at: null };
  }
}

function assistantLine(reply: OracleReply): string {
  return [`assistant: ${reply.text}`.trimEnd(), ...reply.calls.map((call) => `[${call.tool}]`)].join(' ');
}
