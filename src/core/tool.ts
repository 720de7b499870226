import type { Call } from './call.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { MisuseError, Retry } from './error.ts';
import type { Result } from './result.ts';

/** What a call of the tool may do. Absent means not promised: without `readOnly` it may change things (TOOL-29, TOOL-30). */
export interface Hints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
  /** Running it again with the same input does no more than once. */
  readonly idempotent?: boolean;
}

/** What a model is told of a tool. `input` is a JSON Schema of type object (TOOL-05). */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly hints: Hints;
}

/** What is wrong with an input: where, and what to do. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

/**
 * A tool: its spec, a check of the input, and the function (TOOL-01). `call` gives a Result, or what `call.needsInput()`
 * gave to pause; it may throw Retry for the model to correct, or anything else, which the model sees as an error.
 */
export interface Tool {
  readonly spec: ToolSpec;
  /** What is wrong with an input; empty when it fits. Asked before any middleware, so nobody approves a broken call. */
  check(input: JsonObject): Promise<readonly InputIssue[]>;
  call(input: JsonObject, call: Call): Promise<Result> | Result;
}

/** Where a run gets its tools; read anew at every step (TOOL-02, TOOL-03). */
export interface ToolSource {
  tools(): Iterable<Tool> | Promise<Iterable<Tool>>;
}

/** The fixed list of tools. */
export function toolList(...tools: readonly Tool[]): ToolSource {
  return { tools: () => tools };
}

/** Checks a value against a JSON Schema: the issues, none when it fits. Handed in, since the core holds no validator. */
export type SchemaValidator = (schema: JsonObject, value: Json) => readonly InputIssue[];

/** A schema that validates and describes itself, as zod 4 does (Standard Schema 1 and its JSON Schema part). */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A tool whose input is described by a zod 4 schema (or any Standard Schema that gives JSON Schema). */
export interface SchemaToolInit<T> {
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchema<T>;
  readonly hints?: Hints;
  readonly call: (input: T, call: Call) => Promise<Result> | Result;
}

/** A tool whose input is described by raw JSON Schema, checked with `validate` when one is given. */
export interface RawToolInit {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly validate?: SchemaValidator;
  readonly hints?: Hints;
  readonly call: (input: JsonObject, call: Call) => Promise<Result> | Result;
}

/**
 * A tool from a schema and a function.
 * @throws MisuseError `tool_schema_not_object` when the schema is not of type object (TOOL-05).
 */
export function tool<T>(init: SchemaToolInit<T>): Tool;
export function tool(init: RawToolInit): Tool;
export function tool<T>(init: SchemaToolInit<T> | RawToolInit): Tool {
  return isStandard(init) ? schemaTool(init) : rawTool(init);
}

function schemaTool<T>(init: SchemaToolInit<T>): Tool {
  const { validate, jsonSchema } = init.input['~standard'];
  return {
    spec: spec(init, jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject),
    async check(input) {
      const outcome = await validate(input);
      return (outcome.issues ?? []).map((issue) => ({
        path: (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.'),
        message: issue.message,
      }));
    },
    async call(input, call) {
      const outcome = await validate(input);
      if (outcome.issues !== undefined)
        throw new Retry(`A middleware changed the input of ${init.name} into one that does not fit its schema.`);
      return init.call(outcome.value, call);
    },
  };
}

function rawTool(init: RawToolInit): Tool {
  return {
    spec: spec(init, init.input),
    check: async (input) => init.validate?.(init.input, input) ?? [],
    call: init.call,
  };
}

function isStandard<T>(init: SchemaToolInit<T> | RawToolInit): init is SchemaToolInit<T> {
  return '~standard' in init.input;
}

function spec(init: { name: string; description: string; hints?: Hints }, schema: JsonObject): ToolSpec {
  const { $schema: _, ...input } = schema;
  checkSchema(init.name, input);
  return { name: init.name, description: init.description, input: withMaps(input), hints: init.hints ?? {} };
}

/** @throws MisuseError `tool_schema_not_object` unless the schema's type is object. */
export function checkSchema(name: string, schema: JsonObject): void {
  if (schema.type !== 'object') {
    throw new MisuseError('tool_schema_not_object', `The input schema of the tool ${name} must have "type": "object".`);
  }
}

const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Schemas that came through another language may hold `[]` where a map must stand; it is sent as `{}` (TOOL-06). */
function withMaps(schema: JsonObject): JsonObject {
  const mend = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(mend);
    return isObject(value) ? withMaps(value) : value;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const emptyList = Array.isArray(value) && value.length === 0;
      return [key, emptyList && mapKeywords.includes(key) ? {} : mend(value)];
    }),
  );
}
