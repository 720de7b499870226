import { type Part, readShell } from '../shell/index.ts';
import { type CommandLine, fitsCall, type JudgedCall, type ToolReaders } from './call.ts';
import type { Fit } from './fit.ts';
import type { Effect, Rule } from './rule.ts';
import { fitsPart } from './shell-fit.ts';
import { type Finding, type Verdict, verdictOf } from './verdict.ts';
import { versionOf } from './version.ts';

/** Rules that can be asked. */
export interface Policy {
  readonly rules: readonly Rule[];
  /** Changes when the rules mean something else, and only then. */
  readonly version: string;
  /** What becomes of a call. The same for the same call, whatever came before it. */
  judge(call: JudgedCall): Verdict;
}

/**
 * The policy of these rules. What no rule is about runs if the tool only reads, else a person is asked (POL-06). `readers` say what of an input is a file or a
 * command line.
 */
export function policyOf(rules: readonly Rule[], readers: ToolReaders = {}): Policy {
  return { rules, version: versionOf(rules), judge: (call) => judge(rules, readers, call) };
}

/** A rule that is about a call, so far as the call as a whole tells. */
interface Applying {
  readonly rule: Rule;
  readonly fit: Fit;
}

function judge(rules: readonly Rule[], readers: ToolReaders, call: JudgedCall): Verdict {
  const reader = (Object.hasOwn(readers, call.tool) ? readers[call.tool] : undefined) ?? {};
  const applying = rules.map((rule): Applying => ({ rule, fit: fitsCall(rule, call, reader) })).filter(({ fit }) => fit !== 'no');
  const whole = applying.flatMap(({ rule, fit }) => (rule.shell === undefined ? findingOf(rule, fit, call.tool, null) : []));
  const looksIn =
    reader.command !== undefined && applying.some(({ rule }) => rule.shell !== undefined || rule.effect === 'allow');
  const inside = looksIn ? judgeCommand(reader.command?.(call.input) ?? null, applying, whole, call.tool) : [];
  const [first, ...more] = [...whole, ...inside];
  return verdictOf(first === undefined ? [byDefault(call)] : [first, ...more]);
}

function judgeCommand(
  line: CommandLine | null,
  applying: readonly Applying[],
  whole: readonly Finding[],
  tool: string,
): readonly Finding[] {
  const parts: readonly Part[] = line === null ? [{ type: 'unclear', text: '', why: 'cannot be read' }] : readShell(line.text);
  const root = line?.root ?? null;
  // What cannot be judged says more than that no rule allows it.
  const unclearFirst = parts.toSorted((a, b) => Number(b.type === 'unclear') - Number(a.type === 'unclear'));
  return unclearFirst.flatMap((part) => {
    if (part.type === 'unclear') return [asked(part.text, `cannot be judged: it ${part.why}`)];
    const found = applying.flatMap(({ rule, fit }): readonly Finding[] => {
      const fits = rule.shell === undefined ? 'no' : fitsPart(rule.shell, part, rule.effect, root);
      return fits === 'no' ? [] : findingOf(rule, fits === 'yes' ? fit : 'maybe', tool, part.text);
    });
    // What no rule is about is asked for, unless the call as a whole is judged.
    return found.length > 0 || part.harmless || whole.length > 0 ? found : [asked(part.text, 'is allowed by no rule')];
  });
}

function asked(part: string, why: string): Finding {
  return { effect: 'ask', part, rule: null, why: `${part === '' ? 'The command' : `\`${part}\``} ${why}` };
}

/** What a rule that fits means. One that only may fit asks where it would deny, and allows nothing. */
function findingOf({ name, effect, reason }: Rule, fit: Fit, tool: string, part: string | null): readonly Finding[] {
  if (effect === 'allow' && fit !== 'yes') return [];
  const subject = part === null ? tool : `\`${part}\``;
  const said = reason === undefined ? '' : `: ${reason}`;
  if (effect === 'deny' && fit === 'maybe') {
    return [{ effect: 'ask', part, rule: name, why: `${subject} may be what the rule ${name} denies${said}` }];
  }
  return [{ effect, part, rule: name, why: `${subject} ${says[effect]} the rule ${name}${said}` }];
}

const says: { readonly [E in Effect]: string } = {
  deny: 'is denied by',
  ask: 'needs leave by',
  allow: 'is allowed by',
};

function byDefault({ tool, hints }: JudgedCall): Finding {
  const readOnly = hints.readOnly === true;
  return {
    effect: readOnly ? 'allow' : 'ask',
    part: null,
    rule: null,
    why: readOnly ? `${tool} only reads` : `${tool} changes files`,
  };
}
