/**
 * `npm run policy -- RULES.json --session SCOPE`: what these rules would have made of the session's newest calls, beside what the configured ones do. Prints the
 * calls that change; `--all` the others too. Options: `--url ADDRESS` (http://127.0.0.1:8787), `--limit N` calls (200), `--token TOKEN` of an operator (none;
 * HARNESS_TOKEN in the environment, which other programs on the machine do not see). The file holds a list of rules (docs/configuration.md).
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isObject, parseJson } from '../src/core/index.ts';

/** The answer of the server, so far as it is printed. */
interface Simulation {
  readonly proposed: { readonly version: string };
  readonly changed: number;
  readonly calls: readonly {
    readonly tool: string;
    readonly mode: string;
    readonly input: string;
    readonly configured: { readonly effect: string };
    readonly proposed: { readonly effect: string; readonly why: string };
    readonly change: 'none' | 'tighter' | 'looser';
  }[];
}

const usage = 'Say which rules and which session: npm run policy -- RULES.json --session SCOPE';

/** Runs the command with its arguments; gives what it prints, and whether it did what it was asked. */
export async function simulate(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  try {
    return await asked(args, environment);
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

async function asked(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8787' },
      session: { type: 'string' },
      limit: { type: 'string', default: '200' },
      token: { type: 'string' },
      all: { type: 'boolean', default: false },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0 || values.session === undefined) return { ok: false, text: usage };
  const rules = parseJson(readFileSync(file, 'utf8'));
  if (rules === undefined) return { ok: false, text: `${file} is not JSON.` };
  const token = values.token ?? environment.HARNESS_TOKEN;
  const response = await fetch(new URL('/api/policy/simulate', values.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ scope: values.session, rules, limit: Number(values.limit) }),
  });
  const answer: unknown = await response.json();
  return response.ok ? { ok: true, text: shown(answer as Simulation, values.all) } : { ok: false, text: problemText(answer) };
}

function shown({ proposed, changed, calls }: Simulation, all: boolean): string {
  const lines = calls
    .filter(({ change }) => all || change !== 'none')
    .flatMap((call) => {
      const verdict = call.change === 'none' ? call.proposed.effect : `${call.configured.effect} -> ${call.proposed.effect}`;
      return [
        `${call.change.padEnd(7)} ${verdict.padEnd(14)} ${call.mode} ${call.tool} ${call.input}`,
        `        ${call.proposed.why}`,
      ];
    });
  const head = `${changed} of ${calls.length} calls change under these rules (version ${proposed.version.slice(0, 12)}).`;
  return [head, ...lines].join('\n');
}

/** What the server refused, and each place that is at fault. */
function problemText(answer: unknown): string {
  if (!isObject(answer)) return 'The server refused without a reason.';
  const issues = Array.isArray(answer.issues) ? answer.issues.filter(isObject) : [];
  return [
    `${String(answer.code)}: ${String(answer.detail)}`,
    ...issues.map(({ path, message }) => `  ${String(path)}: ${String(message)}`),
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const { ok, text } = await simulate(process.argv.slice(2), process.env);
  console.log(text);
  if (!ok) process.exitCode = 1;
}
