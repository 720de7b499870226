import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../core/index.ts';
import type { Route, RouteAnswer } from './route.ts';
import { problem, sessionEvent } from './schemas.ts';

/** The statuses of problems that any route may answer with, by whether it needs a participant. */
const everywhere = { anyone: [500], participant: [401, 429, 500, 503] };

/** The description of the API (OpenAPI 3.1), made from the routes and their schemas. */
export function describeApi(routes: readonly Route[], version: string): JsonObject {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = `/api${route.path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method]: operation(route, schemas) };
  }
  schemas.add('Problem', problem, 'output');
  schemas.add('Event', sessionEvent, 'output');
  return {
    openapi: '3.1.0',
    info: { title: 'Reins', version, description: 'Sessions of agents: commands in, events out. Written out in docs/wire.md.' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { access: [] }, {}],
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'AUTH=token. On an upgrade: the subprotocols reins.v1 and bearer.<token>.',
        },
        access: { type: 'apiKey', in: 'header', name: 'Cf-Access-Jwt-Assertion', description: 'AUTH=access.' },
      },
    },
  };
}

function operation(route: Route, schemas: Schemas): JsonObject {
  const { doc } = route;
  const name = operationId(route);
  const refuses = new Set([...(doc.refuses ?? []), ...(route.access === 'anyone' ? everywhere.anyone : everywhere.participant)]);
  return {
    operationId: name,
    summary: doc.summary,
    ...(route.access === 'anyone' ? { security: [] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(doc.query)],
    ...(doc.body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: schemas.add(`${name}Body`, doc.body, 'input') } } } }),
    ...(doc.bytes === undefined
      ? {}
      : { requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(doc.answers).map(([status, given]) => [status, response(`${name}${status}`, given, schemas)]),
      ),
      ...Object.fromEntries([...refuses].map((status) => [status, status === 429 ? limitedResponse : problemResponse])),
    },
  };
}

const problemResponse: JsonObject = {
  description: 'Refused; `code` says why.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const limitedResponse: JsonObject = {
  ...problemResponse,
  headers: { 'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer' } } },
};

function response(name: string, given: RouteAnswer, schemas: Schemas): JsonObject {
  const { description, schema, media = [] } = given;
  const plain: [string, Json][] =
    schema === undefined ? [] : [['application/json', { schema: schemas.add(name, schema, 'output') }]];
  const streams = media.map((type): [string, Json] => [type, { schema: { type: 'string' } }]);
  const content = Object.fromEntries([...plain, ...streams]);
  return { description, ...(Object.keys(content).length === 0 ? {} : { content }) };
}

/** A name from the method and the path: `post /sessions/:scope/pending/deny-all` is `postSessionsScopePendingDenyAll`. */
function operationId({ method, path }: Route): string {
  return (
    method + path.replaceAll(/\{[^}]*\}/g, '').replaceAll(/[^a-zA-Z]+([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase())
  );
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(query: z.ZodObject | undefined): JsonObject[] {
  if (query === undefined) return [];
  const { properties, required } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required?.includes(name) ?? false,
    schema: schema as JsonObject,
  }));
}

/** The schemas under `components`. Each is said once: a schema that another route has already brought is referred to by its first name. */
class Schemas {
  readonly #named = new Map<string, Json>();
  readonly #names = new Map<z.ZodType, string>();

  /** A reference to the schema, which gets `name` unless it has one. */
  add(name: string, schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const known = this.#names.get(schema);
    if (known === undefined) {
      this.#names.set(schema, name);
      const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
      const moved = (value: Json): Json => withReferences(value, name);
      for (const [key, part] of Object.entries(isObject($defs) ? $defs : {})) this.#named.set(partName(key, name), moved(part));
      this.#named.set(name, moved(rest));
    }
    return { $ref: `#/components/schemas/${known ?? name}` };
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const localReference = '#/$defs/';

/** A part that was given an id keeps it; one that the generator named itself is named after its owner. */
function partName(key: string, owner: string): string {
  return key.startsWith('__') ? `${owner}${key.slice(2)}` : key;
}

function withReferences(value: Json, owner: string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withReferences(item, owner));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const local = key === '$ref' && typeof item === 'string' && item.startsWith(localReference);
      return [
        key,
        local ? `#/components/schemas/${partName(item.slice(localReference.length), owner)}` : withReferences(item, owner),
      ];
    }),
  );
}
