/** What a box has of the workspace. */
export interface BoxState {
  /** The life of the box that was filled. */
  readonly boot: string;
  /** The revision of the workspace that it has. */
  readonly rev: number;
  /** What was saved from the box since, each path with its revision: the box has that already. */
  readonly saved: ReadonlyMap<string, number>;
}

/** Keeps the state of a box for longer than the life of the object that fills it, since the box may live on. */
export interface BoxMemory {
  /** Null where no box was filled. */
  read(): BoxState | null;
  write(state: BoxState): void;
}
