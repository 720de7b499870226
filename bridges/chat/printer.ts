import type { Snapshot } from '../../src/session/protocol/index.ts';
import { segmentsOf } from './segments.ts';
import type { Terminal } from './terminal.ts';

type Channel = 'text' | 'reasoning' | 'note';

/** Prints what is new of a session: text as it is, reasoning and notes beside it; nothing that was there before. */
export class Printer {
  readonly #terminal: Pick<Terminal, 'out' | 'note'>;
  readonly #printed: Map<string, number>;
  /** What was written last, when it did not end its line. */
  #open: Channel | null = null;

  constructor(terminal: Pick<Terminal, 'out' | 'note'>, before: Snapshot) {
    this.#terminal = terminal;
    this.#printed = new Map(segmentsOf(before).map(({ key, text }) => [key, text.length]));
  }

  /** Prints what this snapshot has beyond what was printed. */
  show(snapshot: Snapshot): void {
    for (const { key, kind, text } of segmentsOf(snapshot)) {
      const fresh = text.slice(this.#printed.get(key) ?? 0);
      this.#printed.set(key, text.length);
      this.#write(kind, fresh);
    }
  }

  /** Prints a line of our own. */
  note(line: string): void {
    this.#write('note', `${line}\n`);
  }

  /** Ends the line that is open. */
  end(): void {
    if (this.#open === 'text') this.#terminal.out('\n');
    else if (this.#open !== null) this.#terminal.note('\n');
    this.#open = null;
  }

  #write(channel: Channel, text: string): void {
    if (text === '') return;
    if (this.#open !== channel) this.end();
    if (channel === 'text') this.#terminal.out(text);
    else this.#terminal.note(text);
    this.#open = text.endsWith('\n') ? null : channel;
  }
}
