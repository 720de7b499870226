import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject, silentLogger } from '../../src/core/index.ts';
import { createApp } from '../../src/server/app.ts';
import { server } from './support.ts';

const description = async (): Promise<JsonObject> => (await server()('/api/openapi.json')).json();

/** Every object in a JSON value, itself included. */
function objectsIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => objectsIn(item));
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

/** What a JSON pointer in a `$ref` finds. */
function at(document: JsonObject, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
}

function operations(document: JsonObject): { readonly name: string; readonly operation: JsonObject }[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as JsonObject,
    })),
  );
}

describe('/api/openapi.json', () => {
  it('is an OpenAPI 3.1 description of every route that the app has, and of no other', async () => {
    const document = await description();
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Reins', version: '0.0.0-test' } });
    const registered = createApp({ version: '', logger: silentLogger }).routes.filter(({ method }) => method !== 'ALL');
    const routes = registered.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`);
    expect(
      operations(document)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(routes.sort());
    expect(routes).toContain('POST /api/sessions/{scope}/pending/deny-all');
  });

  it('every reference leads somewhere', async () => {
    const document = await description();
    const references = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(references.length).toBeGreaterThan(30);
    expect(
      references.filter((reference) => !reference.startsWith('#/components/schemas/') || at(document, reference) === undefined),
    ).toEqual([]);
  });

  it('every operation has its own name, its path parameters, an answer, and its problems', async () => {
    const all = operations(await description());
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
    for (const { name, operation } of all) {
      const { parameters, responses } = operation as { parameters: { name: string; in: string }[]; responses: JsonObject };
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
      expect(inPath, name).toEqual([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
      expect(
        Object.keys(responses).some((status) => Number(status) < 400),
        name,
      ).toBe(true);
      expect(responses['500'], name).toMatchObject({
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      });
      expect('401' in responses, name).toBe(name !== 'GET /api/health');
    }
  });

  it('describes bodies by the schemas that check them', async () => {
    const document = await description();
    const turn = operations(document).find(({ name }) => name === 'POST /api/sessions/{scope}/turn')?.operation;
    const body = objectsIn(turn ?? {}).find(({ $ref }) => String($ref).endsWith('TurnBody'));
    const schema = at(document, String(body?.$ref)) as JsonObject;
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['message'] });
    expect(Object.keys(schema.properties as JsonObject)).toEqual(
      expect.arrayContaining(['id', 'message', 'tools', 'maxSteps', 'schema']),
    );
    expect(Object.keys(at(document, '#/components/schemas') as JsonObject)).toEqual(
      expect.arrayContaining(['Problem', 'Event', 'UserInput', 'Answer']),
    );
  });

  it('a receipt, a stream and an ended run are told apart', async () => {
    const turn = operations(await description()).find(({ name }) => name === 'POST /api/sessions/{scope}/turn')?.operation;
    const { responses } = turn as { responses: { [status: string]: { content?: JsonObject } } };
    expect(Object.keys(responses['200']?.content ?? {})).toEqual([
      'application/json',
      'text/event-stream',
      'application/x-ndjson',
    ]);
    expect(Object.keys(responses['202']?.content ?? {})).toEqual(['application/json']);
    expect(responses['204']).toEqual({ description: expect.any(String) });
  });
});
