/**
 * `npm run probe -- --url URL --model NAME`: asks an endpoint a few small things, and prints what it does and the rows for our
 * tables. Options: `--format chat|responses|messages` (chat), `--key KEY` (none; PROBE_KEY in the environment, which other
 * programs on the machine do not see), `--window TOKENS` to ask how a prompt that is too long is refused. The key is never printed.
 */
import { parseArgs } from 'node:util';
import { probeChat } from './probe/chat.ts';
import { probeMessages } from './probe/messages.ts';
import { type Report, reportText } from './probe/report.ts';
import { probeResponses } from './probe/responses.ts';
import { type Ask, asker } from './probe/wire.ts';

type Probe = (ask: Ask, model: string, window: number | null) => Promise<Report>;

interface Format {
  readonly path: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly probe: Probe;
}

/** Local servers want no key. */
const bearer = (key: string): Readonly<Record<string, string>> => (key === '' ? {} : { authorization: `Bearer ${key}` });
const formats: { readonly [name: string]: Format } = {
  chat: { path: '/chat/completions', headers: bearer, probe: probeChat },
  responses: { path: '/responses', headers: bearer, probe: probeResponses },
  messages: {
    path: '/messages',
    headers: (key) => ({ 'anthropic-version': '2023-06-01', 'x-api-key': key }),
    probe: probeMessages,
  },
};

/** Runs the command with its arguments; gives what it prints, and whether it did what it was asked. */
export async function probe(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const fail = (text: string) => ({ ok: false, text });
  const options = {
    url: { type: 'string' },
    model: { type: 'string' },
    key: { type: 'string' },
    window: { type: 'string' },
    format: { type: 'string', default: 'chat' },
  } as const;
  const values = parsed(() => parseArgs({ args: [...args], options }).values);
  if (typeof values === 'string') return fail(values);
  const { url, model, format } = values;
  const key = values.key ?? environment.PROBE_KEY ?? '';
  const window = values.window === undefined ? null : Number(values.window);
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (url === undefined || !/^https?:\/\//.test(url) || model === undefined) {
    return fail('Say which endpoint and which model: npm run probe -- --url http://127.0.0.1:8080/v1 --model NAME');
  }
  if (known === undefined) return fail(`--format is one of ${Object.keys(formats).join(', ')}.`);
  if (window !== null && !(window > 0)) return fail("--window is the model's window: a number of tokens.");
  const withoutKey = (text: string): string => (key === '' ? text : text.replaceAll(key, '[key]'));
  try {
    const report = await known.probe(asker(url.replace(/\/+$/, '') + known.path, known.headers(key)), model, window);
    return { ok: true, text: withoutKey(reportText(report, model)) };
  } catch (error) {
    return fail(withoutKey(error instanceof Error ? error.message : String(error)));
  }
}

/** What the arguments say, or what is wrong with them. */
function parsed<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

if (process.argv[1] === import.meta.filename) {
  const { ok, text } = await probe(process.argv.slice(2), process.env);
  console.log(text);
  if (!ok) process.exitCode = 1;
}
