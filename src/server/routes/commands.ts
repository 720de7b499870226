import type { JsonObject } from '../../core/index.ts';
import type { CommandResult } from '../../session/api.ts';
import { bodies, type CommandType, problemBody } from '../../session/protocol/index.ts';
import { actorOf } from '../actor.ts';
import { readObject } from '../body.ts';
import { type SessionStub, sessionOf } from '../objects.ts';
import { refusal } from '../refusal.ts';
import { answer, json, param, type RequestContext, type Route, type RouteDoc } from '../route.ts';
import { endedRun, receipt, waitQuery } from '../schemas.ts';
import { formatOf, preferredStream, streamAnswer, type StreamType, streamTypes } from '../stream.ts';

/** The receipt of a command that started a run. */
type Started = Extract<CommandResult, { readonly run: string }>;

interface CommandRoute {
  readonly type: CommandType;
  readonly path: string;
  readonly summary: string;
  /** True when it may start work, so that its events or its end can be the answer. */
  readonly starts?: boolean;
  readonly children?: boolean;
}

const commands: readonly CommandRoute[] = [
  { type: 'turn', path: 'turn', starts: true, summary: 'Starts a turn with a message' },
  {
    type: 'answers',
    path: 'answers',
    starts: true,
    children: true,
    summary: 'Answers calls that wait; the turn goes on when none is missing',
  },
  { type: 'resume', path: 'resume', starts: true, summary: 'Lets the model go on after an edited reply' },
  { type: 'retry', path: 'retry', starts: true, summary: 'Tries again what failed' },
  { type: 'interject', path: 'interject', summary: 'Adds a message to the turn that runs' },
  { type: 'message', path: 'message', starts: true, summary: 'A turn when idle, else a message to the turn that runs' },
  { type: 'cancel', path: 'cancel', children: true, summary: 'Stops the turn' },
  { type: 'interrupt', path: 'interrupt', summary: 'Stops the reply, keeping what came so that it can be edited and resumed' },
  { type: 'partial', path: 'partial', summary: 'Keeps or drops a reply that was stopped' },
  { type: 'deny_all', path: 'pending/deny-all', summary: 'Denies all calls that wait, without asking the model' },
  { type: 'inbox', path: 'inbox/:item', starts: true, summary: 'Edits, drops or sends a message that has not landed' },
  { type: 'undo', path: 'undo', summary: 'Takes back the newest change of a file, or all changes of a turn' },
  { type: 'new', path: 'new', summary: 'Retires the conversation and begins an empty one' },
];

/** The routes of a session's commands. */
export const commandRoutes: readonly Route[] = commands.map(({ type, path, summary, starts = false, children = false }) => ({
  method: 'post',
  path: `/sessions/:scope/${path}`,
  access: 'write',
  children,
  doc: commandDoc(type, summary, starts),
  handle: (c) => runCommand(c, type),
}));

function commandDoc(type: CommandType, summary: string, starts: boolean): RouteDoc {
  const started: RouteDoc['answers'] = {
    200: {
      description: "With an Accept of a stream, the run's events; with `?wait`, how it ended.",
      schema: endedRun,
      media: streamTypes,
    },
  };
  return {
    summary,
    body: type === 'inbox' ? bodies.inbox.omit({ item: true }) : bodies[type],
    ...(starts ? { query: waitQuery } : {}),
    answers: {
      ...(starts ? started : {}),
      202: { description: 'Accepted; the same again for the same `id`.', schema: receipt },
      204: { description: 'Done.' },
    },
    refuses: [400, 403, 404, 409, 412, 413, 422, 429, 503],
  };
}

async function runCommand(c: RequestContext, type: CommandType): Promise<Response> {
  const body = await readObject(c.req.raw);
  if (!body.ok) return refusal(body.problem);
  const raw = type === 'inbox' ? { ...body.value, item: param(c, 'item') } : body.value;
  const session = sessionOf(c.env, c.var.identity, param(c, 'scope'));
  const outcome = await session.command(type, raw, actorOf(c));
  return outcome.ok ? resultAnswer(c, session, raw, outcome.value) : refusal(outcome.problem);
}

/** What an accepted command answers: nothing, its receipt, or, when it started a run and the client would rather have that, the run. */
function resultAnswer(
  c: RequestContext,
  session: SessionStub,
  raw: JsonObject,
  result: CommandResult,
): Response | Promise<Response> {
  if (result === null) return new Response(null, { status: 204 });
  if (!('run' in result) || result.run === null) return json(result, 202);
  const cancelOnDisconnect = raw.cancelOnDisconnect === true;
  if (c.req.query('wait') !== undefined) return cancelOnDisconnect ? watchedEnd(session, result) : endOf(session, result);
  const stream = preferredStream(c);
  return stream === null ? json(result, 202) : eventsOf(session, result, stream, cancelOnDisconnect);
}

async function eventsOf(
  session: SessionStub,
  { run, cursor }: Started,
  type: StreamType,
  cancelOnDisconnect: boolean,
): Promise<Response> {
  const events = await session.follow({ cursor, run, format: formatOf(type), cancelOnDisconnect });
  // The run was let in, and its stream ends with it.
  return streamAnswer(events, type, null);
}

async function endOf(session: SessionStub, { run }: Started): Promise<Response> {
  return answer(await session.ended(run), json);
}

/**
 * How the run ended, for a client whose going away stops it. That a client has gone shows only when something is written to it, so
 * each event that comes meanwhile is sent as a blank, which JSON allows before a value.
 */
async function watchedEnd(session: SessionStub, { run, cursor }: Started): Promise<Response> {
  const events = await session.follow({ cursor, run, format: 'sse', cancelOnDisconnect: true });
  const blanks = new TransformStream<Uint8Array, Uint8Array>({
    transform: (_, controller) => controller.enqueue(new TextEncoder().encode(' ')),
    flush: async (controller) => {
      const ended = await session.ended(run);
      controller.enqueue(new TextEncoder().encode(JSON.stringify(ended.ok ? ended.value : problemBody(ended.problem))));
    },
  });
  return new Response(events.pipeThrough(blanks), { headers: { 'content-type': 'application/json' } });
}
