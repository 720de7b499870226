import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/**
 * Lines that a person types: the one who asked gets the next line, otherwise the listener does. What was typed before a
 * question was shown never answers it, so that nothing is approved unseen.
 */
export interface Lines {
  /** The next line; null when there will be none. */
  ask(prompt: string): Promise<string | null>;
  listen(listener: (line: string) => void): void;
}

/** What the chat needs of the world. `lines` is null when nobody is there. */
export interface Terminal {
  /** The reply, or event lines. */
  out(text: string): void;
  /** What goes on beside it, for a person. */
  note(text: string): void;
  readonly lines: Lines | null;
  /** Calls back each time somebody presses Ctrl-C. */
  onInterrupt(handler: () => void): void;
  close(): void;
}

/** The streams of a process. Text goes to `output`, everything else to `errors`, so that a pipe gets the reply alone. */
export interface Streams {
  readonly input: Readable;
  /** Whether a person types there. */
  readonly interactive: boolean;
  readonly output: Writable;
  readonly errors: Writable;
  readonly signals: { on(signal: 'SIGINT', handler: () => void): unknown };
}

/** A terminal over a process's streams; it reads lines only where a person types them. */
export function openTerminal({ input, interactive, output, errors, signals }: Streams): Terminal {
  const reader = interactive ? lineReader(input, errors) : null;
  return {
    out: (text) => void output.write(text),
    note: (text) => void errors.write(styleText('dim', text, { stream: errors, validateStream: true })),
    lines: reader,
    onInterrupt: (handler) => void signals.on('SIGINT', handler),
    close: () => reader?.close(),
  };
}

function lineReader(input: Readable, errors: Writable): Lines & { close(): void } {
  const reader = createInterface({ input });
  let waiting: ((line: string | null) => void) | null = null;
  let listener: (line: string) => void = () => {};
  let ended = false;
  const give = (line: string | null): void => {
    const ask = waiting;
    waiting = null;
    if (ask !== null) ask(line);
    else if (line !== null) listener(line);
  };
  reader.on('line', give);
  reader.on('close', () => {
    ended = true;
    give(null);
  });
  return {
    ask(prompt) {
      if (ended) return Promise.resolve(null);
      const line = new Promise<string | null>((resolve) => void (waiting = resolve));
      errors.write(prompt);
      return line;
    },
    listen: (next) => void (listener = next),
    close: () => reader.close(),
  };
}
