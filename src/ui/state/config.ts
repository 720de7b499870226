import { isObject, type Json } from '../../core/json.ts';

/** What of `GET /api/config` the page shows. */
export interface Config {
  /** True when no language model is connected and the built-in demo speaks. */
  readonly demo: boolean;
  readonly modes: readonly string[];
  readonly models: readonly string[];
  /** The names of the tools of each mode; nothing of a mode that is not known. */
  readonly tools: ReadonlyMap<string, readonly string[]>;
  readonly mayWrite: boolean;
  /** What runs commands; null: nothing does. */
  readonly shell: string | null;
  /** The only session that the reader may open; null: any. */
  readonly onlyScope: string | null;
}

/** Reads the answer; what is not there or has another form counts as not known. */
export function readConfig(value: Json): Config {
  const config = isObject(value) ? value : {};
  const models = names(config.models);
  const may = isObject(config.may) ? config.may : {};
  const demo = Array.isArray(config.models) && config.models.some((model) => isObject(model) && model.demo === true);
  return {
    demo,
    modes: names(config.modes),
    models,
    tools: new Map(Object.entries(isObject(config.tools) ? config.tools : {}).map(([mode, tools]) => [mode, texts(tools)])),
    mayWrite: may.write !== false,
    shell: typeof config.shell === 'string' ? config.shell : null,
    onlyScope: typeof may.scope === 'string' ? may.scope : null,
  };
}

function texts(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function names(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => (isObject(entry) && typeof entry.name === 'string' ? [entry.name] : []));
}
