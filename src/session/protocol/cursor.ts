/** A place in a session's events: `<epoch>.<seq>` on the wire. Events after it are those with a greater seq in the same epoch. */
export interface Cursor {
  readonly epoch: number;
  readonly seq: number;
}

/** The cursor as the wire writes it. */
export function formatCursor(cursor: Cursor): string {
  return `${cursor.epoch}.${cursor.seq}`;
}

/** The cursor that a text stands for; null when it is none. */
export function parseCursor(text: string | null | undefined): Cursor | null {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? '');
  return match === null ? null : { epoch: Number(match[1]), seq: Number(match[2]) };
}
