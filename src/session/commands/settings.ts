import { accepted, refused } from '../protocol/index.ts';
import { leaveBehind } from '../admission.ts';
import { stateEvent } from '../recorder.ts';
import { readInbox } from '../rows/inbox.ts';
import { beginThread, type SessionRow, updateSession } from '../rows/session.ts';
import { summaryOf } from '../state.ts';
import { awaiting, type Handler, locked } from './command.ts';

/** `patch`: title, mode, model and step limit. A turn that runs keeps what it started with (G-22). */
export const patch: Handler<'patch'> = (change, body) => {
  const { context, work } = change;
  const { title, mode, model, maxSteps } = body;
  const known = context.agents.resolve({ mode: mode ?? context.row().mode, model: null, maxSteps: null, tools: null });
  if (mode !== undefined && !known.ok) return known;
  if (typeof model === 'string' && !context.agents.modelNames().includes(model)) {
    return refused(
      'unsupported_option',
      `No model of this name is configured: take one of ${context.agents.modelNames().join(', ')}.`,
    );
  }
  const row: Partial<SessionRow> = {
    ...(title === undefined ? {} : { title, named: true }),
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
  };
  updateSession(context.sql, { ...row, updated: context.now() });
  const after = context.row();
  const { usage } = context.view();
  const window = context.agents.window(after.model);
  const changes = {
    title: after.title,
    mode: after.mode,
    model: after.model,
    usage: { ...usage, context: { ...usage.context, window } },
  };
  work.emit(stateEvent(changes));
  return accepted(summaryOf({ ...context.view(), ...changes }, after));
};

/** `new`: retires the conversation, which is kept, and begins an empty one under the same scope (SESS-14). */
export const newThread: Handler<'new'> = (change) => {
  const { context, work } = change;
  const { status } = context.view();
  if (status === 'running') return locked();
  if (status === 'awaiting_input') return awaiting();
  leaveBehind(change);
  beginThread(context.sql, context.now());
  const { session, context: window } = context.view().usage;
  work.emit(
    stateEvent({
      thread: context.row().thread,
      messages: [],
      left: [],
      partial: null,
      lastEnded: null,
      step: null,
      inbox: readInbox(context.sql),
      usage: { session, context: { ...window, used: 0 } },
    }),
  );
  return accepted(null);
};
