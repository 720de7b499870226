import { parseArgs } from 'node:util';
import { scopePattern } from '../../src/session/protocol/index.ts';
import type { SessionAddress } from '../session-client.ts';

/** What to say, where, and how to print it. */
export interface ChatOptions extends SessionAddress {
  readonly message: string;
  /** True: event lines in place of text. */
  readonly json: boolean;
}

/** How the command is used. */
export const usage = `Usage: npm run chat -- [options] "message"

Prints one streamed turn of a session. While it runs, a line steers it, "/queue text" waits until it is done,
and Ctrl-C interrupts the reply (again: leaves). Approvals and questions are asked here.

  --url ADDRESS     the server (http://127.0.0.1:8787)
  --session SCOPE   the session (default)
  --token TOKEN     a bearer token; better in HARNESS_TOKEN, since others on the machine can read arguments
  --json            prints the events of the turn, one JSON value a line

Exit codes: 0 done, 1 failed, 2 wrong use, 3 waits for an answer, 4 stopped, 5 refused or not reached.
`;

/** The options of a command line, or the sentence that says what is wrong with it. */
export function parseOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): ChatOptions | string {
  const parsed = parse(args);
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const message = positionals.join(' ').trim();
  const { url, session: scope } = values;
  if (message === '') return 'There is no message.';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return '--url must be an http address.';
  if (!scopePattern.test(scope))
    return '--session must begin with a letter or digit and have at most 128 of letters, digits and . _ ~ -';
  return { message, url: new URL(url), scope, token: values.token ?? env.HARNESS_TOKEN ?? null, json: values.json };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:8787' },
        session: { type: 'string', default: 'default' },
        token: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return (error as Error).message;
  }
}
