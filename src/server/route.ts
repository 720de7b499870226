import type { Context } from 'hono';
import type * as z from 'zod';
import type { Outcome } from '../session/protocol/index.ts';
import type { Identity } from './identity/index.ts';
import { refusal } from './refusal.ts';
import type { Settings } from './settings.ts';

/** What a handler finds on its context. `identity` is absent on the route that needs none. */
export interface AppEnv {
  Bindings: Env;
  Variables: { settings: Settings; identity: Identity };
}

/** A request on its way through the app. */
export type RequestContext = Context<AppEnv>;

/**
 * Who may use a route: anyone at all; every participant (`read`); those who may change things (`write`); operators (`operate`).
 */
export type Access = 'anyone' | 'read' | 'write' | 'operate';

/** One answer of a route, as the description of the API shows it. Without a schema it has no body, unless `media` names one. */
export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly media?: readonly string[];
}

/** What a route says about itself in `/api/openapi.json`. `refuses` lists the statuses of its problems beside 401 and 500. */
export interface RouteDoc {
  readonly summary: string;
  readonly body?: z.ZodType;
  /** True when the body is bytes of any media type. */
  readonly bytes?: true;
  readonly query?: z.ZodObject;
  readonly answers: { readonly [status: number]: RouteAnswer };
  readonly refuses?: readonly number[];
}

/** One route. The app, its guard and its description are all made from the same list of these. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api`, parameters as `:name`, or `:name{.*}` for one that takes the rest. */
  readonly path: string;
  readonly access: Access;
  /** True when a nested session may be addressed, too (docs/wire.md, who and where). */
  readonly children?: boolean;
  /** True for the upgrade to a WebSocket. */
  readonly socket?: boolean;
  readonly doc: RouteDoc;
  readonly handle: (c: RequestContext) => Response | Promise<Response>;
}

/** A value as an answer, or its refusal. `render` makes the answer. */
export function answer<T>(outcome: Outcome<T>, render: (value: T) => Response): Response {
  return outcome.ok ? render(outcome.value) : refusal(outcome.problem);
}

/** A JSON answer. */
export function json(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return Response.json(value, { status, headers });
}

/** A required path parameter; the route's path names it. */
export function param(c: RequestContext, name: string): string {
  return c.req.param(name) ?? '';
}
