import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Json, JsonObject } from '../../core/json.ts';
import type { CommandType } from '../../session/protocol/commands.ts';
import { formatCursor } from '../../session/protocol/cursor.ts';
import { applyEvent } from '../../session/protocol/reduce.ts';
import type { Presence, ServerFrame, SessionEvent, Snapshot, StoredMessage } from '../../session/protocol/wire.ts';
import { isResults } from '../../core/message.ts';
import { Larges } from './larges.ts';
import { Link, type LinkPhase, type OpenWire } from './link.ts';
import {
  acked,
  echoed,
  frameOf,
  type Outbox,
  type Refusal,
  refusedBy,
  restoreOutbox,
  type Sent,
  sending,
  storeOutbox,
  unanswered,
} from './outbox.ts';
import type { FileEdit } from '../lib/file-edits.ts';
import { editsReader, type Report, withReport, withStepOf } from './reports.ts';
import { liveRow, type ReplyRow, type Row, rowBuilder } from './rows.ts';

/** How a command was answered. */
export type Answered = { readonly ok: true; readonly result: Json } | { readonly ok: false; readonly refusal: Refusal };

/** A wait before the next attempt of a model call. `until` is in ms since 1970. */
export interface RetryNotice {
  readonly attempt: number;
  readonly reason: string;
  readonly until: number;
}

/** A place for texts that outlive a reload. */
export interface TextStore {
  get(key: string): string | null;
  set(key: string, text: string | null): void;
}

/** What a session's store needs of the world. */
export interface SessionInit {
  readonly scope: string;
  /** Opens the session's socket from the cursor that `cursor` gives at that moment. */
  readonly open: (cursor: () => string | null) => OpenWire;
  readonly older: (before: string) => Promise<{ readonly messages: readonly StoredMessage[]; readonly more: boolean }>;
  /** Gives the whole of a large value by its `href`. */
  readonly blob: (href: string) => Promise<Json>;
  readonly now: () => number;
  readonly random: () => number;
  readonly newId: () => string;
  /** Runs a function with the next picture. */
  readonly schedule: (run: () => void) => void;
  readonly tabStore: TextStore;
  /** How this tab is called for the others. */
  readonly label: string;
  readonly onLost: (code: number, opened: boolean) => void;
  readonly onRefused: (refusal: Refusal) => void;
  /** The server that answers now is of another build than the one that served this page's session first. */
  readonly onNewBuild: () => void;
}

/**
 * One session as this tab sees it: the snapshot with the events folded in, the connection, and the commands on their way. Events
 * are folded as they come and shown once per picture.
 */
export class SessionStore {
  readonly scope: string;
  readonly snapshot: Signal<Snapshot | null> = signal(null);
  readonly phase: Signal<LinkPhase> = signal('connecting');
  /** Since when the connection is gone, in ms since 1970; null while it stands. */
  readonly lostAt: Signal<number | null> = signal(null);
  readonly outbox: Signal<Outbox>;
  readonly presence: Signal<readonly Presence[]> = signal([]);
  readonly retryNotice: Signal<RetryNotice | null> = signal(null);
  /** When the running turn began, as far as this tab knows. */
  readonly turnSince: Signal<number | null> = signal(null);
  /** What this tab asked of a run that has not ended yet. */
  readonly asked: Signal<{ readonly run: string | null; readonly what: 'stop' | 'interrupt' } | null> = signal(null);
  readonly earlier: Signal<readonly StoredMessage[]> = signal([]);
  readonly moreEarlier: Signal<boolean> = signal(false);
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly rowIds: ReadonlySignal<readonly string[]>;
  readonly live: ReadonlySignal<ReplyRow | null>;
  readonly rowById: ReadonlySignal<ReadonlyMap<string, Row>>;
  /** What the edits changed that ended while this tab was there, by call. */
  readonly edits: ReadonlySignal<ReadonlyMap<string, readonly FileEdit[]>>;

  readonly #init: SessionInit;
  readonly #link: Link;
  readonly #answers = new Map<string, (answered: Answered) => void>();
  readonly #items = new Set<string>();
  readonly #larges: Larges;
  readonly #reports: Signal<readonly Report[]> = signal([]);
  #reported: readonly Report[] = [];
  /** As they travelled; the signals show them with their large values. */
  #truth: Snapshot | null = null;
  #earlier: readonly StoredMessage[] = [];
  /** A top-level turn_ended is followed by the state it leaves; nothing is shown in between. */
  #between = false;
  #scheduled = false;
  #loading = false;
  #build: string | null = null;
  #editing = false;

  constructor(init: SessionInit) {
    this.#init = init;
    this.scope = init.scope;
    this.#larges = new Larges(init.blob, () => this.#show());
    this.outbox = signal(restoreOutbox(init.tabStore.get(this.#outboxKey())));
    this.#link = new Link({
      open: init.open(() => this.#cursor()),
      random: init.random,
      onText: (text) => this.#frame(JSON.parse(text) as ServerFrame),
      onPhase: (phase) => this.#enter(phase),
      onLost: init.onLost,
    });
    const edits = editsReader();
    this.edits = computed(() => edits(this.#reports.value));
    const build = rowBuilder();
    const messages = computed(() => this.snapshot.value?.messages ?? []);
    const pending = computed(() => this.snapshot.value?.pending ?? []);
    const left = computed(() => this.snapshot.value?.left ?? []);
    this.rows = computed(() =>
      build({ messages: [...this.earlier.value, ...messages.value], pending: pending.value, left: left.value }),
    );
    this.rowById = computed(() => new Map(this.rows.value.map((row) => [row.id, row])));
    this.live = computed(() => {
      const step = this.snapshot.value?.step ?? null;
      if (step === null) return null;
      const stored = this.rowById.value.get(step.id);
      return liveRow(step, stored?.kind === 'reply' ? stored : undefined);
    });
    const liveId = computed(() => this.snapshot.value?.step?.id ?? null);
    this.rowIds = computed(() => {
      const ids = this.rows.value.map((row) => row.id);
      return liveId.value === null || this.rowById.value.has(liveId.value) ? ids : [...ids, liveId.value];
    });
  }

  start(): void {
    this.#link.start();
  }

  stop(): void {
    this.#link.stop();
  }

  /** The reader is back, or the network: see `Link.nudge`. */
  nudge(): void {
    this.#link.nudge();
  }

  /** Gives a command: sent now or when the connection is back, until it is answered. */
  command(type: CommandType, body: JsonObject, text: string | null = null): Promise<Answered> {
    const sent = sending(this.#init.newId(), type, body, text, this.#init.now());
    this.#setOutbox([...this.outbox.value, sent]);
    this.#link.send(frameOf(sent));
    return new Promise((resolve) => this.#answers.set(sent.id, resolve));
  }

  /** Gives a refused command again, under its own id: refusals are not remembered. */
  again(sent: Sent): void {
    this.#setOutbox(this.outbox.value.map((one) => (one.id === sent.id ? { ...sent, state: 'sending', refusal: null } : one)));
    this.#link.send(frameOf(sent));
  }

  /** Takes a refused command off the list. */
  forget(sent: Sent): void {
    this.#setOutbox(this.outbox.value.filter((one) => one.id !== sent.id));
  }

  /** Tells the other tabs whether this one edits the partial reply. */
  setEditing(editing: boolean): void {
    if (this.#editing === editing) return;
    this.#editing = editing;
    this.#sayPresence();
  }

  /** Loads the page of messages before the earliest one shown. */
  async loadEarlier(): Promise<void> {
    const first = this.earlier.value[0] ?? this.snapshot.value?.messages[0];
    if (this.#loading || !this.moreEarlier.value || first === undefined) return;
    this.#loading = true;
    try {
      const thread = this.snapshot.value?.thread;
      const page = await this.#init.older(first.id);
      if (this.snapshot.value?.thread !== thread) return;
      batch(() => {
        this.#setEarlier([...page.messages, ...this.#earlier]);
        this.moreEarlier.value = page.more;
      });
    } finally {
      this.#loading = false;
    }
  }

  /** False for a part of what this store shows in which a preview stands for a large value: then it is not to be edited or sent back. */
  isWhole(shown: object): boolean {
    return this.#larges.isWhole(shown);
  }

  #setEarlier(earlier: readonly StoredMessage[]): void {
    this.#earlier = earlier;
    this.earlier.value = this.#larges.shown(earlier);
  }

  #outboxKey(): string {
    return `reins.outbox.${this.scope}`;
  }

  #setOutbox(outbox: Outbox): void {
    if (outbox === this.outbox.value) return;
    this.outbox.value = outbox;
    this.#init.tabStore.set(this.#outboxKey(), outbox.length === 0 ? null : storeOutbox(outbox));
  }

  #cursor(): string | null {
    return this.#truth === null ? null : formatCursor(this.#truth);
  }

  #enter(phase: LinkPhase): void {
    // An open socket says nothing before `ready`; until then the session counts as away.
    this.phase.value = phase === 'live' && this.lostAt.value !== null ? 'connecting' : phase;
    if (phase === 'waiting' || phase === 'connecting') this.lostAt.value ??= this.#init.now();
  }

  #frame(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        return this.#ready(frame.snapshot, frame.version.build);
      case 'ack':
        // The events of a command come before its answer: shown at once, its words never stand there twice.
        batch(() => {
          this.#setOutbox(acked(this.outbox.value, frame.id, frame.result));
          if (!this.#between) this.#flush();
        });
        return this.#answer(frame.id, { ok: true, result: frame.result });
      case 'refused':
        return this.#refused(frame.id, frame);
      case 'presence':
        this.presence.value = frame.clients;
        return;
      case 'pong':
        return;
      default:
        return this.#event(frame);
    }
  }

  #ready(snapshot: Snapshot | undefined, build: string): void {
    if (this.#build !== null && this.#build !== build) this.#init.onNewBuild();
    this.#build = build;
    this.#larges.retry();
    batch(() => {
      if (snapshot !== undefined) this.#adopt(snapshot);
      this.phase.value = 'live';
      this.lostAt.value = null;
    });
    for (const sent of unanswered(this.outbox.value)) this.#link.send(frameOf(sent));
    this.#sayPresence();
  }

  #adopt(snapshot: Snapshot): void {
    const known = [...this.#earlier, ...(this.#truth?.messages ?? [])];
    const joint =
      this.#truth?.thread === snapshot.thread ? known.findIndex((message) => message.id === snapshot.messages[0]?.id) : -1;
    batch(() => {
      this.#setEarlier(joint > 0 ? known.slice(0, joint) : []);
      if (joint < 0 || !snapshot.more) this.moreEarlier.value = snapshot.more;
      this.presence.value = snapshot.presence;
      this.#truth = snapshot;
      this.#reported = withStepOf(this.#reported, snapshot);
      this.#between = false;
      this.#flush();
    });
  }

  #event(event: SessionEvent): void {
    if (this.#truth === null) return;
    if (event.seq > this.#truth.seq + 1) {
      // Something was missed: only a new snapshot is the whole truth again.
      this.#truth = null;
      this.#link.restart();
      return;
    }
    const before = this.#truth;
    this.#truth = applyEvent(before, event);
    if (this.#truth !== before) this.#reported = withReport(this.#reported, event);
    if (this.#truth.thread !== before.thread) this.#setEarlier([]);
    this.#between = event.type === 'turn_ended' && event.parent === null;
    if (event.parent === null) this.#notice(event);
    this.#show();
  }

  #notice(event: SessionEvent): void {
    if (event.type === 'turn_started') this.turnSince.value = event.at ?? this.#init.now();
    if (event.type === 'retry_scheduled') {
      this.retryNotice.value = { attempt: event.attempt, reason: event.reason, until: this.#init.now() + event.after };
    } else if (event.type === 'message_started' || event.type === 'message_resumed' || event.type === 'turn_ended') {
      this.retryNotice.value = null;
    }
  }

  #refused(id: string | null, refusal: Refusal): void {
    if (id === null) return this.#init.onRefused(refusal);
    const answered = this.#answers.has(id);
    this.#setOutbox(refusedBy(this.outbox.value, id, refusal));
    this.#answer(id, { ok: false, refusal });
    if (!answered) this.#init.onRefused(refusal);
  }

  #answer(id: string, answered: Answered): void {
    this.#answers.get(id)?.(answered);
    this.#answers.delete(id);
  }

  #show(): void {
    if (this.#scheduled || this.#between) return;
    this.#scheduled = true;
    this.#init.schedule(() => {
      this.#scheduled = false;
      if (!this.#between) this.#flush();
    });
  }

  #flush(): void {
    const truth = this.#truth;
    if (truth === null) return;
    for (const item of truth.inbox) this.#items.add(item.id);
    batch(() => {
      this.snapshot.value = this.#larges.shown(truth);
      this.#reports.value = this.#larges.shown(this.#reported);
      this.#setEarlier(this.#earlier);
      if (truth.status === 'running') this.turnSince.value ??= beganAt(truth) ?? this.#init.now();
      else this.turnSince.value = null;
      if (this.outbox.value.length > 0) this.#setOutbox(echoed(this.outbox.value, { runs: runsOf(truth), items: this.#items }));
    });
  }

  #sayPresence(): void {
    this.#link.send(JSON.stringify({ type: 'presence', label: this.#init.label, editing: this.#editing }));
  }
}

/** When the running turn began, where its own user message tells; a tab that came later knows no better. */
function beganAt({ messages, run }: Snapshot): number | null {
  return messages.find((message) => message.run === run && message.role === 'user')?.created ?? null;
}

function runsOf(snapshot: Snapshot): ReadonlySet<string> {
  const runs = snapshot.messages
    .filter((message) => message.role === 'user' && !isResults(message))
    .map((message) => message.run);
  return new Set(runs.filter((run) => run !== null));
}
