/** The longest name that all APIs take. */
const longest = 64;

/**
 * The name of a call as APIs take it in a conversation: letters, digits, `_` and `-`. A model may have called something by a
 * name that no tool has, and with that name in it a whole request is refused from then on.
 */
export function sentName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest) || '_';
}
