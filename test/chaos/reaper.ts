/** The variable under which a test puts its hook: variables reach every object, also one that wakes up again. */
export const lifeHook = 'LIFE_HOOK';

/** Told of a life of an object before its constructor runs. */
export type LifeHook = (ctx: DurableObjectState) => void;

interface Life {
  readonly abort: (reason: string) => void;
  /** How many transactions are open. */
  depth: number;
  over: boolean;
}

/**
 * Kills an object at points of its lives. Each write and each transaction is a point, before and after; fakes add theirs. Within a transaction,
 * and where a fake says so, a life is aborted there and then, as the platform does it: what its tick has written is gone. Around a transaction
 * it is cut off instead: what was written stays, nothing more is written or sent, and the abort follows. That is what a machine leaves that is
 * lost between a commit and whatever comes next.
 */
export class Reaper {
  /** The points that were passed, in order, through all lives; those within a transaction are indented. */
  readonly passed: string[] = [];
  /** How many lives it has ended. */
  deaths = 0;
  readonly #kills: (index: number, name: string) => boolean;
  readonly #lives = new WeakMap<DurableObjectState, Life>();
  #life: Life | null = null;

  /** Kills at the points for which `kills` is true: given the number of the point, from 0, and its name. */
  constructor(kills: (index: number, name: string) => boolean = () => false) {
    this.#kills = kills;
  }

  /** The hook for the object's lives. */
  readonly watch: LifeHook = (ctx) => {
    // The test runner makes an object anew when its constructor threw; the platform does not.
    if (this.#lives.get(ctx)?.over === true) throw new Error('This life is over.');
    const life: Life = { abort: ctx.abort.bind(ctx), depth: 0, over: false };
    this.#lives.set(ctx, life);
    this.#life = life;
    ctx.abort = (reason) => {
      if (!life.over) life.abort(reason ?? '');
    };
    this.#instrument(ctx.storage, life);
  };

  /** A point outside of the storage, of the life that is. */
  readonly pass = (name: string): void => {
    if (this.#life !== null) this.#reach(this.#life, name, 'abort');
  };

  #instrument(storage: DurableObjectStorage, life: Life): void {
    const { sql } = storage;
    const reach = (name: string): void => this.#reach(life, name, life.depth > 0 ? 'abort' : 'cut');
    const [exec, transactionSync] = [sql.exec.bind(sql), storage.transactionSync.bind(storage)];
    const [setAlarm, deleteAlarm] = [storage.setAlarm.bind(storage), storage.deleteAlarm.bind(storage)];
    storage.transactionSync = (work) => {
      reach('before a transaction');
      const value = transactionSync(() => within(life, work));
      if (life.depth === 0) reach('after a transaction');
      return value;
    };
    sql.exec = (query, ...values) => {
      if (!/^\s*SELECT/.test(query)) reach(query.trim().split(/\s+/, 3).join(' '));
      return exec(query, ...values);
    };
    storage.setAlarm = (time, options) => {
      reach('set the alarm');
      return setAlarm(time, options);
    };
    storage.deleteAlarm = (options) => {
      reach('delete the alarm');
      return deleteAlarm(options);
    };
  }

  #reach(life: Life, name: string, manner: 'abort' | 'cut'): void {
    if (life.over) throw new Error('This life is over.');
    const index = this.passed.push(life.depth > 0 ? `  ${name}` : name) - 1;
    if (!this.#kills(index, name)) return;
    this.deaths += 1;
    const reason = `Killed at point ${index}, ${name}`;
    if (manner === 'abort') life.abort(reason);
    life.over = true;
    setTimeout(() => life.abort(reason), 0);
    throw new Error(reason);
  }
}

/** Counts a transaction as open while it does its work. */
function within<T>(life: Life, work: () => T): T {
  life.depth += 1;
  try {
    return work();
  } finally {
    life.depth -= 1;
  }
}
