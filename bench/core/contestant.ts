import type { Script } from './script.ts';

/** What a loop told while it played a script, counted from its own public events. */
export interface Told {
  readonly events: number;
  readonly characters: number;
  readonly results: number;
}

/** An agent's loop under measurement. `play` runs the whole script through it and reads every event. */
export interface Contestant {
  readonly name: string;
  play(script: Script): Promise<Told>;
}
