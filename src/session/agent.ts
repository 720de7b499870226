import type { Options, Tool, ToolMiddleware, Usage } from '../core/index.ts';
import { guard } from '../policy/index.ts';
import { inputOf } from '../models/index.ts';
import {
  type Authority,
  type AuthorityInit,
  type ConfiguredModel,
  type ConfigProblem,
  configuredModels,
  modelsFor,
  pickModel,
  readEnv,
  resolveAuthority,
  resolveMode,
  stepLimit,
  toolNames,
  type ToolPorts,
  toolsOf,
} from '../config/index.ts';
import type { Choice } from './choice.ts';
import { accepted, type Outcome, refused } from './protocol/index.ts';

/** What a turn is played with, resolved anew for each from the configuration (RUN-19). */
export interface Agent {
  /** The model that was chosen, and those that it falls over to. */
  readonly models: readonly [ConfiguredModel, ...ConfiguredModel[]];
  readonly system: string;
  readonly tools: readonly Tool[];
  /** Decides which of their calls run. */
  readonly guard: ToolMiddleware;
  readonly options: Partial<Options>;
  /** The most model steps of the turn: what was asked for, below the operator's ceiling (SESS-12). */
  readonly maxSteps: number;
}

/**
 * The agent that the operator's configuration makes of a choice, for whoever asks. Refuses with `mode_not_configured` a mode that is not there, with
 * `unsafe_authorization_configuration` permissions that would never be asked (PERM-05), and with `no_agent_runtime` any other configuration that cannot be used
 * (SESS-09). `given`: what agents may do, where it is not what is configured.
 */
export function resolveAgent(env: object, choice: Choice, ports: ToolPorts, asker: Asker, given?: AuthorityInit): Outcome<Agent> {
  const settings = readEnv(env);
  if (!settings.ok) return refused('no_agent_runtime', settings.problems.map((problem) => problem.message).join(' '));
  const mode = resolveMode(choice.mode, toolNames);
  if (!mode.ok) {
    const missing = mode.problems.some((problem) => problem.code === 'mode_not_configured');
    return refused(
      missing ? 'mode_not_configured' : 'no_agent_runtime',
      mode.problems.map((problem) => problem.message).join(' '),
    );
  }
  const authority = resolveAuthority(given);
  if (!authority.ok) return unusable(authority.problems);
  const models = modelsFor(settings.value, choice.model);
  return accepted({
    models,
    system: mode.value.system,
    ...allowedTo(authority.value, asker, mode.value.name, toolsOf(mode.value, ports, choice.tools)),
    options: models[0].options,
    maxSteps: stepLimit(mode.value, choice.maxSteps),
  });
}

/** Whose agent it is: permissions depend on it. */
export interface Asker {
  readonly participant: string;
  readonly scope: string;
}

function unusable(problems: readonly ConfigProblem[]): Outcome<never> {
  const unsafe = problems.find(({ code }) => code === 'unsafe_authorization_configuration');
  const detail = problems.map(({ message }) => message).join(' ');
  return refused(unsafe === undefined ? 'no_agent_runtime' : 'unsafe_authorization_configuration', detail);
}

/** The tools that are offered, and what guards their calls. A tool that is not offered is one that there is not (PERM-07). */
function allowedTo(
  { policy, permissions: { canOffer, canCall } }: Authority,
  { participant, scope: session }: Asker,
  mode: string,
  tools: readonly Tool[],
): Pick<Agent, 'tools' | 'guard'> {
  return {
    tools: tools.filter(({ spec }) => canOffer === null || canOffer({ participant, session, tool: spec })),
    guard: guard({
      policy,
      mode,
      canCall: canCall === null ? null : ({ input }, tool) => canCall({ participant, session, tool, input }),
    }),
  };
}

/** The names of the models that a session may choose; none while the configuration cannot be used. */
export function modelNames(env: object): readonly string[] {
  const settings = readEnv(env);
  return settings.ok ? configuredModels(settings.value).map(({ description }) => description.name) : [];
}

/** The window of a session's model, in tokens; null when it is not known. */
export function windowOf(env: object, model: string | null): number | null {
  const settings = readEnv(env);
  return settings.ok ? pickModel(configuredModels(settings.value), model).description.window : null;
}

/** The tokens that stand in a model's context after a call with this usage: what went in, the cache's share with it, and the reply (ANT-09). */
export function contextOf(env: object, model: string | null, usage: Usage): number {
  const settings = readEnv(env);
  const name = settings.ok ? pickModel(configuredModels(settings.value), model).description.name : '';
  return inputOf(usage, name) + usage.output;
}

/** The provider of a session's model, as in `<provider>/<model>`: the one that knows the ids of files (ATT-02). */
export function providerOf(env: object, model: string | null): string {
  const [provider = ''] = (model ?? modelNames(env)[0] ?? '').split('/');
  return provider;
}
