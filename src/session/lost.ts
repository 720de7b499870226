import type { Outcome, Pending, Reply, StepEnd, StepView, Usage } from '../core/index.ts';
import { addUsage, noUsage, resultsId, toolCalls } from '../core/index.ts';
import { type AskedSoFar, failedOver } from './asking.ts';
import { applyEvent, type SessionEvent, type Snapshot } from './protocol/index.ts';
import type { RunRow } from './rows/runs.ts';

/** How far a run came, by the events that are stored of it. */
export interface LostRun {
  /** The step in progress as screens had it. */
  readonly view: StepView | null;
  /** False when not even its turn_started is stored. */
  readonly started: boolean;
  /** Its pause is stored: only its end is missing. */
  readonly paused: boolean;
  /** The step that had begun; null between steps. */
  readonly begun: number | null;
  /** The newest step that ended; null before the first. */
  readonly done: number | null;
  /** How that step ended, when nothing has followed it. */
  readonly after: StepEnd | null;
  /** The whole reply of the step that had begun. */
  readonly reply: Reply | null;
  /** How far that step came with its models; null when nothing is told of it, and when the reply is whole. */
  readonly asked: AskedSoFar | null;
  /** What is stored of that step's calls, by id: `ran` began and did not settle, as far as is known. */
  readonly calls: {
    readonly settled: ReadonlyMap<string, Outcome>;
    readonly asked: ReadonlyMap<string, Pending>;
    readonly decided: ReadonlySet<string>;
    readonly ran: ReadonlySet<string>;
  };
  /** Ids of the messages that the run added, the one it began with aside. */
  readonly appended: readonly string[];
  /** Tokens of its whole replies. */
  readonly usage: Usage;
  /** The finish of the newest reply whose step ended. */
  readonly finish: Reply['finish'] | null;
}

/** Reads a lost run's events, from its admission on. */
export function readLost(snapshot: Snapshot, run: RunRow, events: Iterable<SessionEvent>): LostRun {
  const reader = new LostReader({ ...snapshot, seq: run.seq, step: null });
  for (const event of events) reader.read(event);
  return reader;
}

class LostReader implements LostRun {
  started = false;
  paused = false;
  begun: number | null = null;
  done: number | null = null;
  after: StepEnd | null = null;
  reply: Reply | null = null;
  asked: AskedSoFar | null = null;
  calls = noCalls();
  appended: string[] = [];
  usage = noUsage;
  finish: Reply['finish'] | null = null;
  #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  get view(): StepView | null {
    return this.#snapshot.step;
  }

  read(event: SessionEvent): void {
    const { step } = this.#snapshot;
    this.#snapshot = applyEvent(this.#snapshot, event);
    if (event.parent !== null) return;
    switch (event.type) {
      case 'turn_started':
        this.started = true;
        break;
      case 'step_started':
        this.begun = event.n;
        this.after = null;
        this.#forgetStep();
        break;
      case 'message_ended': {
        const { id, role, content } = event.message;
        this.reply = { message: { id, role, content }, usage: event.usage, finish: event.finish };
        this.usage = addUsage(this.usage, event.usage);
        this.asked = null;
        break;
      }
      case 'retry_scheduled':
        this.#ask(event.model, event.attempt, (event.at ?? 0) + event.after);
        break;
      case 'warning':
        if (event.code === failedOver) this.#ask(event.model, 0, 0);
        break;
      case 'tool_started':
        this.calls.ran.add(event.id);
        this.calls.asked.delete(event.id);
        break;
      case 'tool_waiting':
        this.calls.ran.delete(event.id);
        this.calls.asked.set(event.id, event.pending);
        break;
      case 'tool_decided':
        this.calls.decided.add(event.id);
        break;
      case 'tool_ended':
        this.calls.ran.delete(event.id);
        this.calls.settled.set(event.id, event.outcome);
        break;
      case 'interjected':
        this.after = null;
        this.appended.push(event.message.id);
        break;
      case 'input_requested':
        this.paused = true;
        break;
      case 'step_ended':
        this.begun = null;
        this.done = event.n;
        this.after = event.n === 0 || (this.reply !== null && toolCalls(this.reply.message).length > 0) ? 'called' : 'answered';
        this.finish = this.reply?.finish ?? this.finish;
        if (step !== null) this.appended.push(step.id, resultsId(step.id));
        this.#forgetStep();
        break;
      default:
    }
  }

  #ask(model: string | undefined, tries: number, until: number): void {
    this.asked = model === undefined ? null : { model, tries, until };
  }

  #forgetStep(): void {
    this.reply = null;
    this.asked = null;
    this.calls = noCalls();
  }
}

function noCalls(): {
  settled: Map<string, Outcome>;
  asked: Map<string, Pending>;
  decided: Set<string>;
  ran: Set<string>;
} {
  return { settled: new Map(), asked: new Map(), decided: new Set(), ran: new Set() };
}
