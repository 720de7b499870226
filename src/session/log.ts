import type { Logger } from '../core/index.ts';

/** Writes one JSON line a report to the console, where the platform's logs pick it up. Errors show their name, message and stack. */
export function consoleLogger(fixed: Readonly<Record<string, unknown>>): Logger {
  return {
    warn: (message, fields = {}) => console.warn(JSON.stringify({ message, ...fixed, ...fields }, plainError)),
  };
}

function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
}
