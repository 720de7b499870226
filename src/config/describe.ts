import { hostFor } from '../models/index.ts';
import { checkConfiguration } from './check.ts';
import { readEnv, type Settings } from './env.ts';
import { configuredModels, type ModelDescription } from './models.ts';
import { type Mode, modes } from './modes.ts';

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
    checks: [...problems, ...modes.map(reach), ...(read.ok ? remarks(read.value, models) : [])],
  };
}

/** What a mode can reach (DOC-03). */
function reach({ name, tools }: Mode): Finding {
  return { name: `mode ${name}`, status: 'ok', detail: `Offers ${tools.length === 0 ? 'no tools' : tools.join(', ')}.` };
}

/** What is usable and yet worth knowing (DOC-06). */
function remarks({ endpoint, contextWindow }: Settings, [model]: readonly ModelDescription[]): readonly Finding[] {
  const warn = (applies: boolean, detail: string): Finding[] => (applies ? [{ name: 'model', status: 'warn', detail }] : []);
  if (endpoint === null) {
    return warn(
      true,
      'No language model is connected: the demo model speaks. Set HARNESS_OPENAI_URL and HARNESS_MODEL to connect one.',
    );
  }
  const host = endpoint.host ?? hostFor(new URL(endpoint.url));
  const continues = model?.capabilities.continues !== false;
  return [
    { name: 'model', status: 'ok', detail: `Speaks Chat Completions with the preset ${host}.` },
    ...warn(contextWindow === null, "The model's window is not known: set HARNESS_CONTEXT_WINDOW to its size in tokens."),
    // It drops the oldest part of a prompt that is too long, the system text first (CTXW-04, CTXW-05).
    ...warn(
      host === 'ollama',
      'Ollama shortens a long prompt without a word, the system text first: raise OLLAMA_CONTEXT_LENGTH there, or num_ctx in the Modelfile; a request cannot.',
    ),
    ...warn(!continues, 'The model cannot continue a reply: a Resume is refused, and another reply offered instead.'),
  ];
}
