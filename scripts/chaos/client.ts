import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, Pending } from '../../src/core/index.ts';
import type { Snapshot } from '../../src/session/protocol/index.ts';
import type { Answer, Command, Link } from './links.ts';
import type { Random } from './random.ts';
import type { Fault, Report } from './report.ts';
import type { View } from '../../test/chaos/view.ts';
import { type Input, inputText } from './words.ts';

/** How many inputs a client gives in a round: what it queued has to be answered before the next. */
const inputLimit = 3;

/** A command that a client gave, with the input it carries and its answer; null while it has none. */
export interface Given {
  readonly command: Command;
  readonly input: Input | null;
  answer: Answer | null;
  /** For a cancel: the run that it named, and whether its end had been seen when the answer came. */
  readonly cancels: string | null;
  endSeen: boolean;
}

/** Who plays: where the client is, what it draws from, and whom it tells. */
export interface ClientPorts {
  readonly name: string;
  readonly link: Link;
  readonly view: View;
  readonly random: Random;
  readonly report: Report;
  /** True where answers come after the events before them. */
  readonly ordered: boolean;
}

/** A person at a client, drawn: gives inputs, answers what is asked, stops turns, and sends again what has no answer. */
export class Client {
  readonly given: Given[] = [];
  readonly #ports: ClientPorts;
  #count = 0;

  constructor(ports: ClientPorts) {
    this.#ports = ports;
  }

  get name(): string {
    return this.#ports.name;
  }

  get shown(): Snapshot | null {
    return this.#ports.view.shown;
  }

  open(): void {
    this.#ports.link.open();
  }

  close(): void {
    this.#ports.link.close();
  }

  /** Acts until the signal comes. */
  async play(over: AbortSignal): Promise<void> {
    const { random } = this.#ports;
    while (!over.aborted) {
      await sleep(random.between(20, 250));
      if (!over.aborted) await this.#act(over);
    }
  }

  /** Sends every command that has no answer until it has one. Resolves at once when the signal comes. */
  async settle(over: AbortSignal): Promise<void> {
    for (const given of this.given) await this.#deliver(given, over);
  }

  /** Answers these calls: allows most, denies some, gives questions a value. */
  async answer(pending: readonly Pending[], over: AbortSignal): Promise<void> {
    const { random } = this.#ports;
    const answers = pending.map(({ call, needs }) => ({
      callId: call.id,
      decisions: Object.fromEntries(
        needs.flatMap(({ id, type }) => (type === 'approval' ? [[id, { allowed: random.chance(0.85) }]] : [])),
      ),
      values: Object.fromEntries(needs.flatMap(({ id, type }) => (type === 'question' ? [[id, 'this one']] : []))),
    }));
    await this.#give('answers', { answers }, over);
  }

  async #act(over: AbortSignal): Promise<void> {
    const { random, view } = this.#ports;
    const shown = view.shown;
    if (shown === null) return;
    const again = this.given.findLast(({ answer }) => answer !== null);
    if (again !== undefined && random.chance(0.1)) return this.#again(again);
    if (shown.status === 'awaiting_input') return this.#answerSome(shown, over);
    const runs = shown.status === 'running';
    if (runs && random.chance(0.1)) return this.#give('cancel', { target: shown.run ?? '' }, over);
    if (this.#count === inputLimit) return;
    if (!runs) {
      const input = this.#input();
      return this.#give(random.pick(['turn', 'message']), { message: inputText(input) }, over, input);
    }
    if (!random.chance(0.3)) return;
    const input = this.#input();
    if (random.chance(0.5)) await this.#give('interject', { message: inputText(input), delivery: 'steer' }, over, input);
    else await this.#give('message', { message: inputText(input), delivery: 'queue' }, over, input);
  }

  async #answerSome({ pending, staged }: Snapshot, over: AbortSignal): Promise<void> {
    const { random } = this.#ports;
    const open = pending.filter(({ call }) => !staged.some(({ callId }) => callId === call.id));
    const [one, ...others] = open;
    if (one !== undefined) await this.answer(random.chance(0.5) ? open : [random.pick([one, ...others])], over);
  }

  #input(): Input {
    const { name, random } = this.#ports;
    this.#count += 1;
    return { tag: `${name}.${this.#count}`, plan: random.pick(['say', 'say', 'look', 'note', 'ask', 'many', 'many']) };
  }

  async #give(type: Command['type'], body: JsonObject, over: AbortSignal, input: Input | null = null): Promise<void> {
    const command = { id: `${this.name}-${this.given.length + 1}`, type, body };
    const cancels = type === 'cancel' ? String(body.target) : null;
    const given: Given = { command, input, answer: null, cancels, endSeen: false };
    this.given.push(given);
    this.#ports.report.count('commands');
    await this.#deliver(given, over);
  }

  async #deliver(given: Given, over: AbortSignal): Promise<void> {
    const { link, report, ordered, view } = this.#ports;
    while (given.answer === null && !over.aborted) {
      given.answer = await link.send(given.command);
      given.endSeen = !ordered || view.shown?.status !== 'running' || view.shown.run !== given.cancels;
      if (given.answer !== null || over.aborted) return;
      report.count('resent');
      await sleep(100);
    }
  }

  /** Sends an answered command once more: an accepted one answers as it did. */
  async #again({ command, answer }: Given): Promise<void> {
    const { link, report } = this.#ports;
    if (answer === null || 'code' in answer) return;
    report.count('resent');
    const second = await link.send(command);
    if (second !== null && !isDeepStrictEqual(second, answer)) {
      this.#fault('wrong', `${command.type} ${command.id} answered ${JSON.stringify(answer)}, then ${JSON.stringify(second)}`);
    }
  }

  #fault(fault: Fault, what: string): void {
    this.#ports.report.fault(fault, this.name, what);
  }
}
