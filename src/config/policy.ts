import * as z from 'zod';
import type { JsonObject } from '../core/index.ts';
import { type CommandLine, fitsText, type NamedFiles, type Rule, type ToolReaders } from '../policy/index.ts';
import { patchPaths, resolvePath } from '../tools/index.ts';
import type { Checked, ConfigProblem } from './problem.ts';

/**
 * The rules of what agents may do, as shipped: none. Without a rule a call of a tool that only reads runs, and a person is asked before any other (MW-15, POL-06).
 * docs/configuration.md shows what a rule looks like.
 */
export const rules: readonly Rule[] = [];

/** Where commands begin, whatever runs them. */
const root = '/workspace';

/** What rules can look into of the inputs of our tools. */
export const toolReaders: ToolReaders = {
  shell: { command: commandOf },
  // What runs on is judged as what ends, or a denied command would have a way around its rule.
  process_start: { command: commandOf },
  read_file: { files: (input) => oneFile(input) },
  write_file: { files: (input) => oneFile(input) },
  edit_file: { files: (input) => oneFile(input) },
  apply_patch: { files: ({ patch }) => (typeof patch === 'string' ? inOneForm(patchPaths(patch), false) : null) },
  list_dir: { files: (input) => oneFile(input) },
  glob: { files: (input) => oneFile(input, true) },
  grep: { files: (input) => oneFile(input, true) },
};

/** The argument `command`. */
function commandOf({ command }: JsonObject): CommandLine | null {
  return typeof command === 'string' ? { text: command, root } : null;
}

/** The file or folder that the argument `path` names; absent, the root. */
function oneFile({ path = '' }: JsonObject, below = false): NamedFiles | null {
  return typeof path === 'string' ? inOneForm([path], below) : null;
}

/** Paths as the files have them, so that no other spelling hides one. */
function inOneForm(paths: readonly string[] | null, below: boolean): NamedFiles | null {
  const resolved = (paths ?? []).flatMap((path) => {
    const one = resolvePath(path);
    return one.ok ? [one.value] : [];
  });
  return resolved.length > 0 && resolved.length === paths?.length ? { paths: resolved, below } : null;
}

const pattern = z.string().min(1, 'must not be empty');
const patterns = z.array(pattern).min(1, 'must have one at least');
const shellMust =
  'must be an object with one of run (and with it, with or only), writes, reads, sets; all but run are lists of patterns';

/** A rule, as its zod schema checks it. */
const ruleShape: z.ZodType<Rule> = z.strictObject({
  name: z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must be up to 100 visible characters of ASCII without a space'),
  effect: z.enum(['deny', 'ask', 'allow'], 'must be deny, ask or allow'),
  reason: z.string().min(1, 'must not be empty').max(1000, 'must not be longer than 1000 characters').exactOptional(),
  tools: patterns.exactOptional(),
  modes: patterns.exactOptional(),
  hints: z
    .strictObject({
      readOnly: z.boolean().exactOptional(),
      destructive: z.boolean().exactOptional(),
      openWorld: z.boolean().exactOptional(),
      idempotent: z.boolean().exactOptional(),
    })
    .exactOptional(),
  input: z.record(z.string().min(1), pattern).exactOptional(),
  paths: patterns.exactOptional(),
  shell: z
    .union(
      [
        z.strictObject({
          run: z.string().regex(/^\S+( \S+)*$/, 'must be words with one space between them'),
          with: patterns.exactOptional(),
          only: z.array(pattern).exactOptional(),
        }),
        z.strictObject({ writes: patterns }),
        z.strictObject({ reads: patterns }),
        z.strictObject({ sets: patterns }),
      ],
      shellMust,
    )
    .exactOptional(),
});

/** A set of rules, each under a name of its own. */
export const rulesShape: z.ZodType<readonly Rule[]> = z
  .array(ruleShape)
  .max(1000, 'must not be more than 1000')
  .superRefine((given, context) => {
    for (const [at, { name }] of given.entries()) {
      if (given.findIndex((rule) => rule.name === name) < at) {
        context.addIssue({ code: 'custom', path: [at, 'name'], message: `must not be ${name}: another rule is named so` });
      }
    }
  });

/** The rules, checked: their form, and that the tools and modes which they name exist, since a rule about nothing would only seem to protect. */
export function checkRules(given: readonly Rule[], tools: readonly string[], modes: readonly string[]): Checked<readonly Rule[]> {
  const parsed = rulesShape.safeParse(given);
  const problems = parsed.success
    ? parsed.data.flatMap((rule, at) => [
        ...(rule.tools ?? []).flatMap((name, index) =>
          tools.some((tool) => fitsText(name, tool)) ? [] : [nothingNamed(['rules', at, 'tools', index], name, 'tool', tools)],
        ),
        ...(rule.modes ?? []).flatMap((name, index) =>
          modes.includes(name) ? [] : [nothingNamed(['rules', at, 'modes', index], name, 'mode', modes)],
        ),
      ])
    : parsed.error.issues.map(({ path, message }) => malformed(['rules', ...path], message));
  return problems.length === 0 ? { ok: true, value: given } : { ok: false, problems };
}

function malformed(path: readonly PropertyKey[], message: string): ConfigProblem {
  return { code: 'policy_malformed', where: 'policy', message: `In the policy, ${path.map(String).join('.')} ${message}.` };
}

function nothingNamed(path: readonly PropertyKey[], name: string, kind: string, known: readonly string[]): ConfigProblem {
  return malformed(path, `is ${name}, and there is no such ${kind}: take some of ${known.join(', ')}`);
}
