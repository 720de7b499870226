import { DurableObject } from 'cloudflare:workers';
import { type Json, type Logger, randomId, systemClock } from '../core/index.ts';
import { defaultMode, type Limits, readLimits } from '../config/index.ts';
import { version } from '../config/version.ts';
import { type Address, directoryAddress, parseAddress, stubAt } from './address.ts';
import { admit } from './admission.ts';
import { Alarms, beatInterval } from './alarms.ts';
import { contextOf, modelNames, providerOf, resolveAgent, windowOf } from './agent.ts';
import type { CommandResult, FollowOptions, GivenBlob, MessagePage, PastCall, SessionApi, Upload, UploadHead } from './api.ts';
import { attachmentStore } from './attachments.ts';
import { nothingDone } from './commands/command.ts';
import { carryOut } from './commands/index.ts';
import { patch } from './commands/settings.ts';
import type { Change, SessionContext } from './context.ts';
import { createRows, openRows } from './first-use.ts';
import { FloodLimit, minute, tooMany } from './flood.ts';
import type { FileAnswers, FileRequests } from './file-api.ts';
import { bucketOf, SessionFiles } from './files.ts';
import { followStream, Signal } from './follow.ts';
import { emptyPage, pageBefore } from './history.ts';
import { Hub } from './hub.ts';
import { isLive } from './joiner.ts';
import { Journal, type Work } from './journal.ts';
import { LargeValues } from './large.ts';
import { newLife } from './life.ts';
import { Listing } from './listing.ts';
import { consoleLogger } from './log.ts';
import {
  accepted,
  type Actor,
  applyEvent,
  bodies,
  type CommandType,
  type EndedRun,
  formatCursor,
  issuesOf,
  type Outcome,
  parseCursor,
  refused,
  type ServerFrame,
  type SessionEvent,
  type Snapshot,
  type Summary,
  type UsageList,
} from './protocol/index.ts';
import { readLost } from './lost.ts';
import { pastCalls } from './past-calls.ts';
import { deathLimit, isDeath, recover } from './recovery.ts';
import { putBlob } from './rows/blobs.ts';
import { eventsAfter } from './rows/events.ts';
import { dropItem, readInbox } from './rows/inbox.ts';
import { rowNotes } from './rows/notes.ts';
import { rowOutputs } from './rows/outputs.ts';
import { dropAlarm, dueAlarms, earliestAlarm, putAlarm } from './rows/alarms.ts';
import { beat, type Life, openRun, readRun, type RunRow, takeOver } from './rows/runs.ts';
import { readSession, type SessionRow } from './rows/session.ts';
import { usageByModel } from './rows/usage.ts';
import { Runner } from './runner.ts';
import { endBox, settledFiles, shellOf } from './shell.ts';
import { isChildScope } from './scope.ts';
import { turnLimitOf } from './turn-limit.ts';
import { Undone } from './undone.ts';
import { givenBlob, storeUpload, sweepUploads, Uploads } from './uploads.ts';
import { loadSnapshot, type MessageSizes, summaryOf, trimmed, unusedSnapshot } from './state.ts';

const createBody = bodies.patch.pick({ title: true, mode: true, model: true });

/**
 * One conversation: its rows are the truth, its memory is a cache of them and the run in progress. Whatever reaches it, over HTTP, a socket or
 * from within, is carried out here, one after the other.
 */
export class Session extends DurableObject<Env> implements SessionApi {
  readonly #address: Address;
  readonly #logger: Logger;
  readonly #hub: Hub;
  readonly #runner: Runner;
  readonly #listing: Listing;
  readonly #limits: Limits;
  readonly #flood: FloodLimit;
  readonly #context: Omit<SessionContext, 'journal'>;
  readonly #signal = new Signal();
  readonly #sizes: MessageSizes = new WeakMap();
  readonly #large: LargeValues;
  readonly #alarms: Alarms;
  readonly #files: SessionFiles;
  readonly #shell: ReturnType<typeof shellOf>;
  readonly #uploads = new Uploads();
  readonly #life: Life;
  #journal: Journal;
  #snapshot: Snapshot;
  #used = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const address = parseAddress(ctx.id.name ?? '');
    if (address === null) throw new Error('A session is reached by its address only.');
    this.#address = address;
    this.#logger = consoleLogger({ scope: address.scope });
    this.#large = new LargeValues(address.scope, (hash, blob) => putBlob(ctx.storage.sql, hash, blob));
    this.#alarms = new Alarms(ctx.storage, this.#logger);
    this.#life = newLife(env);
    this.#limits = readLimits(env).limits;
    this.#flood = new FloodLimit(this.#limits.session, minute);
    this.#listing = new Listing(stubAt(env.DIRECTORY, directoryAddress(address)), this.#logger);
    this.#hub = new Hub(ctx, {
      command: (type, raw, actor) => this.#take(type, raw, actor),
      welcome: (cursor) => this.#welcome(cursor),
      disconnected: (run, actor) => void this.#carryOut('cancel', { target: run }, actor),
      now: () => Date.now(),
      frameRate: this.#limits.commands,
      nested: isChildScope(address.scope),
    });
    this.#runner = new Runner(
      () => this.#contextNow(),
      this.#logger,
      (broken) => this.#atRest(broken),
    );
    this.#files = this.#makeFiles();
    this.#shell = shellOf(env, address, this.#files.workspace, ctx.storage);
    this.#context = this.#makeContext();
    this.#snapshot = this.#unused(Date.now());
    this.#journal = this.#newJournal(0);
    this.#load();
  }

  async snapshot(): Promise<Snapshot> {
    return this.#shown();
  }

  async command(type: CommandType, raw: Json, actor: Actor): Promise<Outcome<CommandResult>> {
    return this.#take(type, raw, actor);
  }

  async create(raw: Json, actor: Actor): Promise<Outcome<{ summary: Summary; created: boolean }>> {
    const body = createBody.safeParse(raw);
    if (!body.success)
      return refused('bad_request', 'A session takes a title, a mode and a model.', { issues: issuesOf(body.error) });
    const created = !this.#used;
    const outcome = created
      ? this.#transact(actor, (change) => patch(change, body.data, { actor, command: null }))
      : accepted(null);
    if (!outcome.ok) return outcome;
    const summary = summaryOf(this.#snapshot, this.#row());
    await this.#listing.put(summary);
    return accepted({ summary, created });
  }

  async messages(before: string | null, limit: number): Promise<Outcome<MessagePage>> {
    const page = this.#used ? pageBefore(this.ctx.storage.sql, before, limit) : emptyPage(before);
    return page.ok ? accepted(this.#large.travel(page.value)) : page;
  }

  async upload(body: ReadableStream<Uint8Array>, { mediaType, length }: UploadHead, actor: Actor): Promise<Outcome<Upload>> {
    const wait = this.#flood.admit(Date.now());
    if (wait !== null) return tooMany('commands', wait);
    const content = await this.#uploads.read(body, length);
    return content.ok ? this.#transact(actor, (change) => storeUpload(change, { mediaType, content: content.value })) : content;
  }

  async pastCalls(limit: number): Promise<readonly PastCall[]> {
    return this.#used ? pastCalls(this.#contextNow(), limit) : [];
  }

  async usage(): Promise<UsageList> {
    return { session: this.#snapshot.usage.session, models: this.#used ? usageByModel(this.ctx.storage.sql) : [] };
  }

  async blob(hash: string): Promise<Outcome<GivenBlob>> {
    const blob = this.#used ? givenBlob(this.ctx.storage.sql, hash) : undefined;
    return blob === undefined ? refused('not_found', 'This session gave out no value with this hash.') : accepted(blob);
  }

  async files<T extends keyof FileRequests>(type: T, request: FileRequests[T]): Promise<Outcome<FileAnswers[T]>> {
    return this.#shell.settled().then(() => this.#files.answer(type, request));
  }

  async follow(options: FollowOptions): Promise<ReadableStream<Uint8Array>> {
    const source = {
      epoch: () => this.#snapshot.epoch,
      after: (cursor: string | null) => this.#after(cursor),
      snapshot: () => this.#shown(),
      isOver: (run: string) => !this.#used || readRun(this.ctx.storage.sql, run)?.ended !== null,
    };
    const { run, cancelOnDisconnect } = options;
    const row = run === undefined || !this.#used ? undefined : readRun(this.ctx.storage.sql, run)?.row;
    const lost = row !== undefined && this.#after(options.cursor) === null;
    const cursor = lost ? formatCursor({ epoch: this.#snapshot.epoch, seq: row.seq }) : options.cursor;
    return followStream(source, this.#signal, { ...options, cursor }, () => {
      if (row !== undefined && cancelOnDisconnect === true) this.#carryOut('cancel', { target: row.id }, row.actor);
    });
  }

  async ended(run: string): Promise<Outcome<EndedRun>> {
    for (;;) {
      const known = this.#used ? readRun(this.ctx.storage.sql, run) : undefined;
      if (known === undefined) return refused('not_found', 'This session has no such run.');
      if (known.ended !== null) return accepted(this.#large.travel(known.ended));
      await this.#signal.wait(60_000);
    }
  }

  async erase(): Promise<void> {
    // A command that comes meanwhile is taken, and its run is stopped as well.
    do {
      await this.#runner.halt();
      await this.#files.erase();
      await endBox(this.env, this.#address);
    } while (this.#runner.active !== null);
    const { epoch } = this.#snapshot;
    await this.ctx.blockConcurrencyWhile(async () => {
      await this.#files.erase();
      this.#used = false;
      this.#snapshot = this.#unused(Math.max(Date.now(), epoch + 1));
      this.#journal = this.#newJournal(0);
      await this.ctx.storage.deleteAll();
    });
    this.#hub.closeAll('The session was erased');
    this.#signal.fire();
    await this.#listing.remove(this.#address.scope);
  }

  override fetch(request: Request): Response {
    return this.#hub.accept(request, randomId('client'));
  }

  /** The alarm is set again before anything else: one that a crash uses up would leave the run to the next visitor. */
  override alarm(): void {
    if (!this.#used) return;
    const { storage } = this.ctx;
    const now = Date.now();
    const run = this.#runner.active;
    storage.transactionSync(() => {
      const due = dueAlarms(storage.sql, now);
      if (due.includes('uploads')) sweepUploads(storage.sql, now);
      if (!due.includes('run')) return;
      putAlarm(storage.sql, 'run', now + beatInterval);
      if (run !== null) beat(storage.sql, run.id, this.#life.incarnation, now);
    });
    this.#alarms.arm();
    if (run === null) this.#list();
  }

  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): void {
    this.#hub.receive(socket, data);
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#hub.gone(socket);
    this.#hub.answerClose(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    this.#hub.gone(socket);
  }

  #load(): void {
    const { storage } = this.ctx;
    const row = openRows(storage);
    if (row === null) return;
    const run = openRun(storage.sql);
    if (run === undefined) {
      this.#open(row);
      this.ctx.waitUntil(this.#files.sweep());
    } else {
      // A failure ends this life; the next one tries again, and counts.
      this.ctx
        .blockConcurrencyWhile(() => this.#recover(row, run))
        .catch((error: unknown) => this.#logger.warn('A lost run could not be taken over', { run: run.id, error }));
    }
  }

  #open(row: SessionRow): void {
    const { sql } = this.ctx.storage;
    this.#used = true;
    this.#snapshot = loadSnapshot(sql, this.#address.scope, row, windowOf(this.env, row.model));
    this.#journal = this.#newJournal(this.#snapshot.seq);
    this.#list();
    this.#advance();
  }

  /** Goes on with the run of a life that is over. That it died is on disk, and the alarm set, before anything that this life could die of. */
  async #recover(row: SessionRow, run: RunRow): Promise<void> {
    const { storage } = this.ctx;
    const now = Date.now();
    const died = isDeath(run, this.#life, this.ctx.getWebSockets().length);
    // What they were sent last may be in no row: they come back, and are given what is.
    this.#hub.closeAll('The session goes on in a new life');
    const taken = storage.transactionSync(() => {
      putAlarm(storage.sql, 'run', now + beatInterval);
      return takeOver(storage.sql, run, this.#life, died, now);
    });
    this.#alarms.arm();
    await storage.sync();
    const snapshot = loadSnapshot(storage.sql, this.#address.scope, row, windowOf(this.env, row.model));
    // Where even reading them was too much, the run ends without them.
    const events = taken.deaths > deathLimit ? [] : eventsAfter(storage.sql, run.seq);
    const lost = readLost(snapshot, run, events);
    this.#used = true;
    this.#snapshot = { ...snapshot, step: lost.view };
    this.#journal = this.#newJournal(snapshot.seq);
    this.#journal.transact((work) => {
      recover(this.#change(work), taken, lost);
      work.after(() => {
        this.#snapshot = { ...this.#snapshot, epoch: this.#row().epoch };
      });
    });
    this.#list();
    this.#advance();
  }

  /** A command from outside: the session takes so many in a minute, whoever sends them and however, and a stop always. */
  #take(type: CommandType, raw: Json, actor: Actor): Outcome<CommandResult> {
    const wait = type === 'cancel' || type === 'interrupt' ? null : this.#flood.admit(Date.now());
    return wait === null ? this.#carryOut(type, raw, actor) : tooMany('commands', wait);
  }

  #carryOut(type: CommandType, raw: Json, actor: Actor): Outcome<CommandResult> {
    const outcome = this.#transact(actor, (change) => carryOut(change, type, raw, actor));
    // Denied calls leave the session at rest, with what was queued behind them.
    if (this.#used) this.#advance();
    return outcome;
  }

  /** A transaction that a refusal undoes, the first use of the session included. */
  #transact<T>(actor: Actor, act: (change: Change) => Outcome<T>): Outcome<T> {
    try {
      return this.#journal.transact((work) => {
        this.#use(work, actor);
        const outcome = act(this.#change(work));
        if (!outcome.ok || (outcome === nothingDone && !this.#used)) throw new Undone(outcome);
        return outcome;
      });
    } catch (error) {
      if (error instanceof Undone) return error.outcome as Outcome<T>;
      this.#logger.warn('A command could not be stored', { error });
      return refused('unavailable', 'The session could not store the command; nothing has changed. Send it again.');
    }
  }

  #use(work: Work, actor: Actor): void {
    if (this.#used) return;
    createRows(this.ctx.storage, this.#snapshot.epoch, actor, Date.now());
    work.after(() => {
      this.#used = true;
      this.#list();
    });
  }

  /** What landed in the inbox and is not held begins a turn once the session is at rest (STEER-06, docs/wire.md, inbox). */
  #advance(): void {
    if (this.#snapshot.status !== 'idle') return;
    const { sql } = this.ctx.storage;
    const item = this.#snapshot.inbox.find((waiting) => !waiting.held);
    if (item === undefined) return;
    this.#transact(item.by, (change) => {
      dropItem(sql, item.id);
      const start = { kind: 'message', message: item.message, isNew: true } as const;
      return admit(change, { start, actor: item.by, command: null, changes: { inbox: readInbox(sql) } });
    });
  }

  /** A run has ended. One whose end could not be stored leaves rows that only a new life of the object can put right. */
  #atRest(broken: boolean): void {
    if (broken) this.ctx.abort('The end of a run could not be stored');
    this.#signal.fire();
    if (this.#used) this.#advance();
  }

  #onEvent(event: SessionEvent): void {
    const next = applyEvent(this.#snapshot, event);
    const { messages, left } = this.#snapshot;
    this.#snapshot = next.messages === messages && next.left === left ? next : trimmed(next, this.#sizes);
    this.#hub.broadcast(this.#large.travel(event));
    this.#signal.fire();
    if (this.#used && !isLive(event)) this.#list();
  }

  /** Keeps the line in the participant's list; a nested session has none, it is reached through the one that holds it. */
  #list(): void {
    if (isChildScope(this.#address.scope)) return this.#disarm();
    const summary = summaryOf(this.#snapshot, this.#row());
    if (summary.status === 'running') this.#listing.soon(summary);
    else this.ctx.waitUntil(this.#listing.put(summary).then(() => this.#disarm()));
  }

  /** At rest, and listed as that, the session needs no alarm. Until then one is set: a life that dies before leaves a line that says it runs. */
  #disarm(): void {
    const { storage } = this.ctx;
    if (!this.#used || this.#snapshot.status === 'running' || earliestAlarm(storage.sql) === null) return;
    dropAlarm(storage.sql, 'run');
    this.#alarms.arm();
  }

  #welcome(cursor: string | null): ServerFrame[] {
    const ready = { type: 'ready', version: { wire: 1, build: version } } as const;
    const events = this.#after(cursor);
    if (events === null) {
      const snapshot = this.#shown();
      return [{ ...ready, cursor: formatCursor(snapshot), snapshot }];
    }
    return [{ ...ready, cursor: cursor ?? '' }, ...events];
  }

  /** The snapshot as it is given out. */
  #shown(): Snapshot {
    return this.#large.travel({ ...this.#snapshot, presence: this.#hub.presence });
  }

  /** The events after a cursor, as they are given out; null when it cannot be resumed. */
  #after(text: string | null): Iterable<SessionEvent> | null {
    const cursor = parseCursor(text);
    const { epoch } = this.#snapshot;
    if (cursor === null) return null;
    if (this.#used) {
      const events = this.#journal.after(cursor, epoch);
      return events === null ? null : this.#given(events);
    }
    return cursor.epoch === epoch && cursor.seq === 0 ? [] : null;
  }

  *#given(events: Iterable<SessionEvent>): Iterable<SessionEvent> {
    for (const event of events) yield this.#large.travel(event);
  }

  #row(): SessionRow {
    const row = readSession(this.ctx.storage.sql);
    if (row === undefined) throw new Error('The session has no row.');
    return row;
  }

  #unused(epoch: number): Snapshot {
    return unusedSnapshot(this.#address.scope, epoch, defaultMode, windowOf(this.env, null));
  }

  #newJournal(seq: number): Journal {
    return new Journal(
      this.ctx.storage,
      seq,
      (event) => this.#onEvent(event),
      (error) => this.#broken(error),
    );
  }

  /** Memory is behind the rows, which are true: this life ends, and the next one reads them. */
  #broken(error: unknown): void {
    this.#logger.warn('What was stored could not be told', { error });
    this.ctx.abort('What was stored could not be told');
  }

  #change(work: Work): Change {
    return { context: this.#contextNow(), work };
  }

  #contextNow(): SessionContext {
    return { ...this.#context, journal: this.#journal };
  }

  #makeFiles(): SessionFiles {
    return new SessionFiles(this.#address, this.#logger, stubAt(this.env.DIRECTORY, directoryAddress(this.#address)), {
      storage: this.ctx.storage,
      bucket: bucketOf(this.env),
      used: () => this.#used,
      use: (work, actor) => this.#use(work, actor),
      transact: (change) => this.#journal.transact(change),
      thread: () => this.#snapshot.thread,
    });
  }

  #makeContext(): Omit<SessionContext, 'journal'> {
    const { sql } = this.ctx.storage;
    const now = (): number => Date.now();
    const ports = {
      clock: systemClock,
      notes: rowNotes(sql, now),
      files: settledFiles(this.#files.workspace, this.#shell),
      shell: this.#shell,
      outputs: rowOutputs(sql, now),
    };
    return {
      sql,
      now,
      address: this.#address,
      attachments: attachmentStore(sql, now, () => providerOf(this.env, this.#row().model)),
      agents: {
        resolve: (choice) => resolveAgent(this.env, choice, ports, this.#address),
        modelNames: () => modelNames(this.env),
        window: (model) => windowOf(this.env, model),
        contextOf: (model, usage) => contextOf(this.env, model, usage),
      },
      life: this.#life,
      alarms: this.#alarms,
      mintId: randomId,
      runner: this.#runner,
      sweepFiles: () => this.ctx.waitUntil(this.#files.sweep()),
      allowance: () => turnLimitOf(this.#address.scope, this.#limits.turns, () => this.#listing.ahead(this.#address.scope)),
      view: () => this.#snapshot,
      row: () => this.#row(),
    };
  }
}
