import { checkRules, type ConfigProblem, modes, resolveAuthority, toolNames, toolReaders } from '../../config/index.ts';
import { byEffect, type Policy, policyOf, type Verdict } from '../../policy/index.ts';
import type { PastCall } from '../../session/api.ts';
import { isWithin } from '../../session/scope.ts';
import { type Problem, refused } from '../../session/protocol/index.ts';
import { readObject } from '../body.ts';
import { otherSession } from '../guard.ts';
import { sessionOf } from '../objects.ts';
import { checked } from '../query.ts';
import { refusal } from '../refusal.ts';
import { json, type RequestContext, type Route } from '../route.ts';
import { simulation, simulationBody } from '../schemas.ts';

/** How much of an input is shown, in characters. */
const shownInput = 500;

/** The routes about what agents may do. */
export const policyRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/policy/simulate',
    access: 'operate',
    doc: {
      summary:
        "What a set of rules would make of a session's newest calls, beside what the configured ones do; nothing is changed",
      body: simulationBody,
      answers: { 200: { description: 'Every call, in order.', schema: simulation } },
      refuses: [400, 403, 413, 429],
    },
    handle: simulate,
  },
];

async function simulate(c: RequestContext): Promise<Response> {
  const body = await readObject(c.req.raw);
  if (!body.ok) return refusal(body.problem);
  const wanted = checked(body.value, simulationBody, 'The body has fields that cannot be used.');
  if (!wanted.ok) return refusal(wanted.problem);
  const { scope, rules, limit } = wanted.value;
  const { identity } = c.var;
  if (identity.scope !== null && !isWithin(scope, identity.scope)) return refusal(otherSession);
  const configured = resolveAuthority();
  if (!configured.ok) return refusal(unusable('no_agent_runtime', configured.problems));
  const names = modes.map(({ name }) => name);
  const proposed = checkRules(rules, toolNames, names);
  if (!proposed.ok) return refusal(unusable('bad_request', proposed.problems));
  const calls = await sessionOf(c.env, identity, scope).pastCalls(limit);
  return json(compare(calls, configured.value.policy, policyOf(rules, toolReaders)));
}

function unusable(code: 'no_agent_runtime' | 'bad_request', problems: readonly ConfigProblem[]): Problem {
  return refused(code, problems.map(({ message }) => message).join(' ')).problem;
}

function compare(calls: readonly PastCall[], configured: Policy, proposed: Policy): object {
  const compared = calls.map((call) => {
    const [before, after] = [configured.judge(call), proposed.judge(call)];
    const input = JSON.stringify(call.input);
    return {
      id: call.id,
      tool: call.tool,
      mode: call.mode,
      input: input.length > shownInput ? `${input.slice(0, shownInput).toWellFormed()}…` : input,
      configured: told(before),
      proposed: told(after),
      change: changeOf(byEffect(before.effect, after.effect)),
    };
  });
  return {
    configured: { version: configured.version, rules: configured.rules.length },
    proposed: { version: proposed.version, rules: proposed.rules.length },
    changed: compared.filter(({ change }) => change !== 'none').length,
    calls: compared,
  };
}

function told({ effect, rule, part, why }: Verdict): object {
  return { effect, rule, part, why };
}

function changeOf(difference: number): 'none' | 'tighter' | 'looser' {
  return difference === 0 ? 'none' : difference > 0 ? 'tighter' : 'looser';
}
