import { type Answer, isObject, type Json, type Pending, randomId } from '../../src/core/index.ts';
import {
  type CommandType,
  type EndedRun,
  parseCursor,
  type SessionEvent,
  type Snapshot,
} from '../../src/session/protocol/index.ts';
import { type SessionClient, Unreachable } from '../session-client.ts';
import { askFor } from './ask.ts';
import { codeOf, exitCode, type ExitCode } from './exit-code.ts';
import { readableText } from './large.ts';
import { Printer } from './printer.ts';
import { remarksOn } from './remarks.ts';
import type { Terminal } from './terminal.ts';

/** A run that a command of ours began. */
interface Started {
  readonly run: string;
  readonly turn: number;
  readonly cursor: string;
}

/** A message said in a session, printed until its turn is over, with the turns that answers to its calls begin. */
export class Talk {
  /** Resolves when the person leaves before the end. */
  readonly left: Promise<ExitCode>;
  readonly #client: SessionClient;
  readonly #terminal: Terminal;
  readonly #printer: Printer;
  /** What to interrupt: the run, before its receipt the command. Null while nothing of ours runs. */
  #target: string | null = null;
  /** Events that came before the receipt said which are ours; null when none is awaited. */
  #early: SessionEvent[] | null = null;

  /** `json`: prints event lines in place of text. */
  constructor(client: SessionClient, terminal: Terminal, json: boolean) {
    this.#client = client;
    this.#terminal = terminal;
    this.#printer = new Printer(terminal, client.snapshot);
    client.watch((snapshot, event) => {
      if (event?.type === 'interjected' && event.parent === null) this.note(`» ${readableText(event.message)}`);
      if (!json) this.#printer.show(snapshot);
      else if (event !== null) this.#printLine(event);
    });
    const left = Promise.withResolvers<ExitCode>();
    this.left = left.promise;
    let stopping = false;
    terminal.onInterrupt(() => {
      if (this.#target === null) return left.resolve(exitCode.waiting);
      if (stopping) return left.resolve(exitCode.stopped);
      stopping = true;
      this.note('(interrupting; once more to leave)');
      return this.#send('interrupt', { target: this.#target });
    });
    terminal.lines?.listen((line) => this.#interject(line.trim()));
  }

  /**
   * Says it, once what an earlier turn left open is answered, and sees the turn through.
   * @throws Refused, Unreachable
   */
  async say(message: string): Promise<ExitCode> {
    const { status, pending } = this.#client.snapshot;
    const settled = status === 'awaiting_input' ? await this.#settle(pending) : exitCode.done;
    return settled === exitCode.done ? this.#follow(await this.#start('turn', { message })) : settled;
  }

  /** Prints a line of our own. */
  note(line: string): void {
    this.#printer.note(line);
  }

  async #start(type: CommandType, body: object): Promise<Started> {
    const id = randomId('cmd');
    this.#target = id;
    this.#early = [];
    const receipt = await this.#client.command(type, body, id);
    if (!isStarted(receipt)) throw new Unreachable('The server did not start a turn.');
    this.#target = receipt.run;
    const early = this.#early;
    this.#early = null;
    for (const event of early) this.#printLine(event);
    return receipt;
  }

  async #follow({ run, turn, cursor }: Started): Promise<ExitCode> {
    const epoch = parseCursor(cursor)?.epoch;
    // A later turn or another epoch: this one is over, and how it ended was not seen.
    const missed = (snapshot: Snapshot): boolean => snapshot.turn > turn || snapshot.epoch !== epoch;
    const { lastEnded } = await this.#client.until((snapshot) => snapshot.lastEnded?.run === run || missed(snapshot));
    this.#target = null;
    if (lastEnded?.run !== run) throw new Unreachable('The turn ended while the connection was lost; the page shows how.');
    return this.#finish(lastEnded);
  }

  #finish(ended: EndedRun): ExitCode | Promise<ExitCode> {
    this.#printer.end();
    for (const remark of remarksOn(ended)) this.note(remark);
    return ended.reason === 'awaiting_input' ? this.#settle(ended.pending) : codeOf(ended);
  }

  /** Asks for what waits and follows the turn that the answers begin. */
  async #settle(pending: readonly Pending[]): Promise<ExitCode> {
    const { lines } = this.#terminal;
    if (lines === null) {
      for (const { call, needs } of pending) this.note(`Waits for an answer: ${call.name} ${JSON.stringify(needs)}`);
      return exitCode.waiting;
    }
    const answers: Answer[] = [];
    for (const one of pending) {
      const answer = await askFor(one, lines);
      if (answer === null) return exitCode.waiting;
      answers.push(answer);
    }
    return this.#follow(await this.#start('answers', { answers }));
  }

  #printLine(event: SessionEvent): void {
    if (this.#early !== null) this.#early.push(event);
    else if (event.run !== null && event.run === this.#target) this.#terminal.out(`${JSON.stringify(event)}\n`);
  }

  #interject(line: string): void {
    const queued = /^\/queue\s+(.+)$/.exec(line)?.[1];
    if (line !== '') this.#send('interject', { message: queued ?? line, delivery: queued === undefined ? 'steer' : 'queue' });
  }

  /** A command beside the turn: a refusal is told and changes nothing. */
  #send(type: CommandType, body: object): void {
    this.#client.command(type, body).catch((error: unknown) => this.note(error instanceof Error ? error.message : String(error)));
  }
}

function isStarted(receipt: Json): receipt is Json & Started {
  return (
    isObject(receipt) && typeof receipt.run === 'string' && typeof receipt.turn === 'number' && typeof receipt.cursor === 'string'
  );
}
