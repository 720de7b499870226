import { bodies } from '../../session/protocol/index.ts';
import { actorOf } from '../actor.ts';
import { readObject } from '../body.ts';
import { sessionOf } from '../objects.ts';
import { readQuery } from '../query.ts';
import { refusal } from '../refusal.ts';
import { answer, json, param, type RequestContext, type Route } from '../route.ts';
import { cursorQuery, messagesPage, messagesQuery, snapshot, summary, usageList } from '../schemas.ts';
import { streamAnswer } from '../stream.ts';

/** The routes of one session, beside its commands and its socket. */
export const sessionRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions/:scope',
    access: 'read',
    children: true,
    doc: {
      summary: 'All that a screen shows of a session; an unused one is empty and idle',
      answers: { 200: { description: 'The snapshot. The events after its `seq` follow it.', schema: snapshot } },
      refuses: [400, 403],
    },
    handle: async (c) => json(await named(c).snapshot()),
  },
  {
    method: 'patch',
    path: '/sessions/:scope',
    access: 'write',
    doc: {
      summary: "Changes a session's title, mode, model or step limit",
      body: bodies.patch,
      answers: { 200: { description: 'The session as changed.', schema: summary } },
      refuses: [400, 403, 409, 413, 422, 429],
    },
    handle: patchSession,
  },
  {
    method: 'delete',
    path: '/sessions/:scope',
    access: 'write',
    doc: {
      summary: 'Erases a session: its conversation, its events, its place in the list',
      answers: { 204: { description: 'It is unused again, in a new epoch.' } },
      refuses: [400, 403, 429],
    },
    handle: eraseSession,
  },
  {
    method: 'get',
    path: '/sessions/:scope/messages',
    access: 'read',
    children: true,
    doc: {
      summary: 'The messages before one, newest page first, each page in order',
      query: messagesQuery,
      answers: { 200: { description: 'A page, and whether there are older ones.', schema: messagesPage } },
      refuses: [400, 403, 404],
    },
    handle: listMessages,
  },
  {
    method: 'get',
    path: '/sessions/:scope/usage',
    access: 'read',
    children: true,
    doc: {
      summary: 'What the session used and what that cost, by model',
      answers: { 200: { description: 'All of it; an unused session used nothing.', schema: usageList } },
      refuses: [400, 403],
    },
    handle: async (c) => json(await named(c).usage()),
  },
  {
    method: 'get',
    path: '/sessions/:scope/events',
    access: 'read',
    children: true,
    doc: {
      summary: "The session's events after `Last-Event-ID` or `cursor`; without one, a snapshot and what follows it",
      query: cursorQuery,
      answers: {
        200: { description: 'Server-sent events: `id` is the cursor, `data` the event.', media: ['text/event-stream'] },
      },
      refuses: [400, 403],
    },
    handle: followEvents,
  },
];

function named(c: RequestContext): ReturnType<typeof sessionOf> {
  return sessionOf(c.env, c.var.identity, param(c, 'scope'));
}

async function patchSession(c: RequestContext): Promise<Response> {
  const body = await readObject(c.req.raw);
  if (!body.ok) return refusal(body.problem);
  return answer(await named(c).command('patch', body.value, actorOf(c)), json);
}

async function eraseSession(c: RequestContext): Promise<Response> {
  await named(c).erase();
  return new Response(null, { status: 204 });
}

async function listMessages(c: RequestContext): Promise<Response> {
  const query = readQuery(c, messagesQuery);
  if (!query.ok) return refusal(query.problem);
  return answer(await named(c).messages(query.value.before ?? null, query.value.limit), json);
}

async function followEvents(c: RequestContext): Promise<Response> {
  const cursor = c.req.header('last-event-id') ?? c.req.query('cursor') ?? null;
  return streamAnswer(await named(c).follow({ cursor, format: 'sse' }), 'text/event-stream', c.var.identity.expires);
}
