import { Hono } from 'hono';
import type { FetchImplementation } from 'jose';
import * as z from 'zod';
import type { Logger } from '../core/index.ts';
import { refused } from '../session/protocol/index.ts';
import { admit } from './guard.ts';
import { preflightAnswer, withHeaders } from './headers.ts';
import { identifier } from './identity/index.ts';
import { describeApi } from './openapi.ts';
import { problemOf, refusal } from './refusal.ts';
import { type AppEnv, json, type Route } from './route.ts';
import { aboutRoutes } from './routes/about.ts';
import { blobRoutes } from './routes/blobs.ts';
import { commandRoutes } from './routes/commands.ts';
import { fileRoutes } from './routes/files.ts';
import { policyRoutes } from './routes/policy.ts';
import { sessionRoutes } from './routes/session.ts';
import { sessionsRoutes } from './routes/sessions.ts';
import { socketRoutes } from './routes/socket.ts';
import { readSettings } from './settings.ts';

/** What an app is made of. */
export interface AppOptions {
  readonly version: string;
  readonly logger: Logger;
  /** The network to the keys of Cloudflare Access; the runtime's own when absent. */
  readonly fetchKeys?: FetchImplementation;
}

/** The Worker's HTTP side: every route of docs/wire.md under `/api`, and a problem for everything else. */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const routes = allRoutes(options);
  const identify = identifier(options.fetchKeys ?? ((url, init) => fetch(url, init)));
  const app = new Hono<AppEnv>();

  app.use('*', async (c, next) => {
    const settings = readSettings(c.env);
    c.set('settings', settings);
    if (c.req.method === 'OPTIONS') return withHeaders(preflightAnswer(c.req.raw, settings), c.req.raw, settings);
    await next();
    // The answer to a HEAD is thrown away: what would go on making its body must hear of it.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
    const answer = withHeaders(c.res, c.req.raw, settings);
    // Hono would merge the headers of the two; this one has them all.
    c.res = undefined;
    c.res = answer;
    return undefined;
  });
  for (const route of routes) if (route.access === 'anyone') app.on(route.method, `/api${route.path}`, route.handle);
  app.use('/api/*', async (c, next) => {
    const identity = await identify(c.req.raw, c.var.settings);
    if (!identity.ok) return refusal(identity.problem);
    c.set('identity', identity.value);
    await next();
    return undefined;
  });
  for (const route of routes) {
    if (route.access === 'anyone') continue;
    app.on(route.method, `/api${route.path}`, async (c) => {
      const admitted = await admit(c, route);
      return admitted.ok ? route.handle(c) : refusal(admitted.problem);
    });
  }
  app.notFound(() => refusal(refused('not_found', 'There is nothing at this address, or not for this method.').problem));
  app.onError((error, c) => {
    options.logger.warn('A request failed.', { method: c.req.method, route: c.req.path, error: String(error) });
    return refusal(problemOf(error));
  });
  return app;
}

function allRoutes({ version }: AppOptions): readonly Route[] {
  const routes = [
    ...aboutRoutes(version),
    ...sessionsRoutes,
    ...sessionRoutes,
    ...blobRoutes,
    ...fileRoutes,
    ...policyRoutes,
    ...commandRoutes,
    ...socketRoutes,
  ];
  const description: Route = {
    method: 'get',
    path: '/openapi.json',
    access: 'read',
    doc: {
      summary: 'This description',
      answers: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
    },
    handle: () => json(describeApi([...routes, description], version)),
  };
  return [...routes, description];
}
