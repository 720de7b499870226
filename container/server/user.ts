/** A user of the system, by its numbers. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Does something with files as the user of the commands, so that a link which a command left reaches no further than the command itself. */
export async function asUser<T>(user: User | null, act: () => Promise<T>): Promise<T> {
  if (user === null) return act();
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  process.setegid?.(user.gid);
  process.seteuid?.(user.uid);
  try {
    return await act();
  } finally {
    process.seteuid?.(uid);
    process.setegid?.(gid);
  }
}
