import { randomId } from '../../core/index.ts';
import { actorOf } from '../actor.ts';
import { readObject } from '../body.ts';
import { otherSession } from '../guard.ts';
import { directoryOf, sessionOf } from '../objects.ts';
import { checked, readQuery } from '../query.ts';
import { refusal } from '../refusal.ts';
import { answer, json, type RequestContext, type Route } from '../route.ts';
import { listQuery, newSession, sessionPage, summary } from '../schemas.ts';
import { streamAnswer } from '../stream.ts';

/** The routes of a participant's list of sessions. */
export const sessionsRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions',
    access: 'read',
    doc: {
      summary: "The participant's sessions, newest first",
      query: listQuery,
      answers: { 200: { description: 'A page; `cursor` asks for the next one.', schema: sessionPage } },
      refuses: [400],
    },
    handle: listSessions,
  },
  {
    method: 'post',
    path: '/sessions',
    access: 'write',
    doc: {
      summary: 'Creates and lists a session; without a scope, one with a new scope',
      body: newSession,
      answers: {
        201: { description: 'It is new.', schema: summary },
        200: { description: 'There was one under this scope; it stays as it is.', schema: summary },
      },
      refuses: [400, 403, 413, 422, 429],
    },
    handle: createSession,
  },
  {
    method: 'get',
    path: '/feed',
    access: 'read',
    doc: {
      summary: "The participant's sessions as they change: a summary each, or an event `removed` with a scope",
      answers: { 200: { description: 'Server-sent events, from now on.', media: ['text/event-stream'] } },
    },
    handle: followSessions,
  },
];

async function listSessions(c: RequestContext): Promise<Response> {
  const query = readQuery(c, listQuery);
  if (!query.ok) return refusal(query.problem);
  const { cursor = null, limit, q = null } = query.value;
  const { identity } = c.var;
  return answer(await directoryOf(c.env, identity).list({ cursor, limit, q, within: identity.scope }), json);
}

async function followSessions(c: RequestContext): Promise<Response> {
  const { identity } = c.var;
  return streamAnswer(await directoryOf(c.env, identity).feed(identity.scope), 'text/event-stream', identity.expires);
}

async function createSession(c: RequestContext): Promise<Response> {
  const body = await readObject(c.req.raw);
  if (!body.ok) return refusal(body.problem);
  const wanted = checked(body.value, newSession, 'The body has fields that cannot be used.');
  if (!wanted.ok) return refusal(wanted.problem);
  const { scope = randomId('session') } = wanted.value;
  const { identity } = c.var;
  if (identity.scope !== null && scope !== identity.scope) return refusal(otherSession);
  const { scope: _, ...choices } = body.value;
  const created = await sessionOf(c.env, identity, scope).create(choices, actorOf(c));
  return answer(created, ({ summary, created: isNew }) =>
    json(summary, isNew ? 201 : 200, { location: `/api/sessions/${scope}` }),
  );
}
