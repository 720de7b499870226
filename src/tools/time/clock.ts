import * as z from 'zod';
import { type Clock, textResult, type Tool, tool } from '../../core/index.ts';

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

/** The tool `clock {}`: the time in UTC as a weekday and ISO 8601; `value` holds the same time in ms since 1970. Read-only. */
export function clockTool(clock: Clock): Tool {
  return tool({
    name: 'clock',
    description: 'Tells the current date and time, in UTC: the host does not know the time zone of the user.',
    input: z.strictObject({}),
    hints: { readOnly: true, idempotent: true },
    call() {
      const now = clock.now();
      const date = new Date(now);
      return textResult(`${weekday.format(date)}, ${date.toISOString()}`, { value: now });
    },
  });
}
