import { hostFor } from '../models/index.ts';
import { configuredAuthority, resolveAuthority } from './authority.ts';
import { checkConfiguration } from './check.ts';
import { type ModelSetting, readEnv, type Settings } from './env.ts';
import { configuredModels, type ModelDescription } from './models.ts';
import { type Mode, modes } from './modes.ts';
import { aiBindingName, defaultWorkersAiModel, openai, variablesOf, wantsKey } from './providers.ts';

/** A finding of the doctor. `detail` says what is so and, where that is not well, what to do; no variable's value is in it. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

/** The configuration as the server shows it to clients and to the doctor. */
export interface ConfigurationView {
  readonly modes: readonly Pick<Mode, 'name' | 'description' | 'tools'>[];
  /** Empty while the variables cannot be used. */
  readonly models: readonly ModelDescription[];
  readonly checks: readonly Finding[];
}

/** Describes what the operator configured: modes and models for `GET /api/config`, findings for the doctor (DOC-01 to DOC-06). */
export function describeConfiguration(env: object): ConfigurationView {
  const read = readEnv(env);
  const models = read.ok ? configuredModels(read.value).map(({ description }) => description) : [];
  const problems = checkConfiguration(env).map(({ where, message }): Finding => ({
    name: where,
    status: 'fail',
    detail: message,
  }));
  return {
    modes: modes.map(({ name, description, tools }) => ({ name, description, tools })),
    models,
    checks: [...problems, ...modes.map(reach), ...authorityFindings(), ...(read.ok ? remarks(read.value, models) : [])],
  };
}

/** What a mode can reach (DOC-03). */
function reach({ name, tools }: Mode): Finding {
  return { name: `mode ${name}`, status: 'ok', detail: `Offers ${tools.length === 0 ? 'no tools' : tools.join(', ')}.` };
}

/** Who may what (PERM-13). What is wrong with it is among the problems. */
function authorityFindings(): readonly Finding[] {
  const resolved = resolveAuthority(configuredAuthority);
  if (!resolved.ok) return [];
  const { policy, permissions } = resolved.value;
  const count = policy.rules.length === 1 ? '1 rule' : `${policy.rules.length} rules`;
  const asked = `${permissions.canOffer === null ? 'all' : 'some'} tools of a mode are offered, and ${permissions.canCall === null ? 'no' : 'each'} call is asked about`;
  return [
    {
      name: 'policy',
      status: 'ok',
      detail: `Has ${count}, version ${policy.version.slice(0, 12)}. Where none fits, a person is asked before a tool that does not only read.`,
    },
    {
      name: 'permissions',
      status: 'ok',
      detail: permissions.authorize ? `On: ${asked}.` : 'Off: every tool of a mode is offered to whoever uses it.',
    },
  ];
}

/** What is usable and yet worth knowing (DOC-06). Models are told by their place in HARNESS_MODEL. */
function remarks({ models: settings, failover }: Settings, models: readonly ModelDescription[]): readonly Finding[] {
  if (settings.length === 0) {
    const detail =
      'No language model is connected: the demo model speaks. Set HARNESS_OPENAI_URL and HARNESS_MODEL to connect one, or the key of a provider and HARNESS_MODEL.';
    return [{ name: 'model', status: 'warn', detail }];
  }
  const place = (model: string): string => `model ${settings.findIndex(({ name }) => name === model) + 1}`;
  return settings.flatMap((setting, at) => {
    const name = settings.length === 1 ? 'model' : place(setting.name);
    const description = models[at];
    if (description === undefined) return [];
    const others = failover.filter((other) => other !== setting.name).map(place);
    return [...modelRemarks(setting, description), ...fallsOver(others)].map((finding) => ({ name, ...finding }));
  });
}

function fallsOver(others: readonly string[]): readonly Omit<Finding, 'name'>[] {
  return others.length === 0 ? [] : [{ status: 'ok', detail: `Falls over to ${others.join(', then ')}.` }];
}

const byDefault: Omit<Finding, 'name'> = {
  status: 'ok',
  detail: 'Is the model of Workers AI that speaks where no variable connects one: set HARNESS_MODEL for another.',
};

function modelRemarks({ endpoint, host, model }: ModelSetting, description: ModelDescription): readonly Omit<Finding, 'name'>[] {
  const { provider, format, url, key, binding } = endpoint;
  const preset = host ?? hostFor(new URL(url));
  const warn = (applies: boolean, detail: string): Omit<Finding, 'name'>[] => (applies ? [{ status: 'warn', detail }] : []);
  const spoken = {
    chat: `Chat Completions with the preset ${preset}`,
    responses: 'OpenAI Responses',
    messages: 'Anthropic Messages',
  };
  const toSet =
    provider === openai ? 'set HARNESS_CONTEXT_WINDOW to its size in tokens' : 'add it to src/models/catalog/overrides.ts';
  return [
    {
      status: 'ok',
      detail: `Speaks ${spoken[format]}${binding === null ? '' : `, at Workers AI through the binding ${aiBindingName}`}.`,
    },
    ...(binding !== null && model === defaultWorkersAiModel ? [byDefault] : []),
    ...warn(key === null && wantsKey(url), `This service wants a key: set ${variablesOf(provider).key}.`),
    ...warn(description.window === null, `The model's window is not known: ${toSet}.`),
    // It drops the oldest part of a prompt that is too long, the system text first (CTXW-04, CTXW-05).
    ...warn(
      format === 'chat' && preset === 'ollama',
      'Ollama shortens a long prompt without a word, the system text first: raise OLLAMA_CONTEXT_LENGTH there, or num_ctx in the Modelfile; a request cannot.',
    ),
    ...warn(
      description.capabilities.continues === false,
      'The model cannot continue a reply: a Resume is refused, and another reply offered instead.',
    ),
  ];
}
