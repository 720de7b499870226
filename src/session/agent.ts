import type { Model, Options, Tool, Usage } from '../core/index.ts';
import { inputOf } from '../models/index.ts';
import {
  configuredModels,
  pickModel,
  readEnv,
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
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly options: Partial<Options>;
  /** The most model steps of the turn: what was asked for, below the operator's ceiling (SESS-12). */
  readonly maxSteps: number;
}

/**
 * The agent that the operator's configuration makes of a choice. Refuses with `mode_not_configured` a mode that is not there, and with
 * `no_agent_runtime` a configuration that cannot be used (SESS-09).
 */
export function resolveAgent(env: object, choice: Choice, ports: ToolPorts): Outcome<Agent> {
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
  const { model, options } = pickModel(configuredModels(settings.value), choice.model);
  return accepted({
    model,
    system: mode.value.system,
    tools: toolsOf(mode.value, ports, choice.tools),
    options,
    maxSteps: stepLimit(mode.value, choice.maxSteps),
  });
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
