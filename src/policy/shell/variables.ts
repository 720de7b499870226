/**
 * Variables that change how a program shows what it finds, and nothing else. Any other may choose what is loaded or run: a path, a library, a pager, an editor,
 * the options of a runtime.
 */
const harmless: ReadonlySet<string> = new Set(
  'CI CLICOLOR CLICOLOR_FORCE COLUMNS FORCE_COLOR LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME LINES NO_COLOR TZ'.split(
    ' ',
  ),
);

/** Whether a variable may be set without anybody's leave. */
export function isHarmlessVariable(name: string): boolean {
  return harmless.has(name);
}
