const faults = ['lost', 'doubled', 'gap', 'unpaired', 'hung', 'wrong'] as const;

/** What can go wrong, by kind. */
export type Fault = (typeof faults)[number];

/** What is counted. */
const figures = {
  rounds: 'rounds',
  kills: 'kills',
  turns: 'turns',
  recovered: 'turns gone on with',
  commands: 'commands',
  resent: 'sent again',
  inputs: 'inputs',
  calls: 'calls',
  unknown: 'outcomes unknown',
  discarded: 'replies asked again',
  alone: 'recoveries by alarm alone',
} as const;
type Figure = keyof typeof figures;

/** Adds up the figures of a soak, and keeps what was violated. */
export class Report {
  readonly violations: string[] = [];
  readonly #counts = new Map<string, number>();
  #slowest = 0;

  count(figure: Figure, by = 1): void {
    this.#counts.set(figure, (this.#counts.get(figure) ?? 0) + by);
  }

  /** Notes that a promise was not kept; `where` is the session or the client that shows it. */
  fault(fault: Fault, where: string, what: string): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
    this.violations.push(`${fault}: ${where}: ${what}`);
  }

  /** A session went on by itself, so many ms after the runtime was back. */
  alone(ms: number): void {
    this.count('alone');
    this.#slowest = Math.max(this.#slowest, ms);
  }

  /** All figures in one line, faults last. */
  line(): string {
    const of = (name: string): number => this.#counts.get(name) ?? 0;
    const counted = Object.entries(figures).map(([name, words]) => `${words} ${of(name)}`);
    const slowest = `slowest ${(this.#slowest / 1000).toFixed(1)} s`;
    return [...counted, slowest, ...faults.map((fault) => `${fault} ${of(fault)}`)].join(' · ');
  }
}
