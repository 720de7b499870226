import { appendAndAsk, type Message, textOf, toolCalls } from '../../core/index.ts';
import { admit } from '../admission.ts';
import type { Change } from '../context.ts';
import { editedReply } from '../content.ts';
import { accepted, type Outcome, refused, type StoredMessage } from '../protocol/index.ts';
import { stateEvent } from '../recorder.ts';
import { coreMessage, newestMessage, putMessage, readMessage } from '../rows/messages.ts';
import { dropPartial, openPartial } from '../rows/partials.ts';
import { currentAnswers } from '../rows/pending.ts';
import { newestEnded } from '../rows/runs.ts';
import { updateSession } from '../rows/session.ts';
import { awaiting, type Handler, locked, staleRevision } from './command.ts';

/** `resume`: goes on from an edited reply (INTR-05). Valid when the conversation ends with a user message; needs no stored partial. */
export const resume: Handler<'resume'> = (change, body, giver) => {
  const { context } = change;
  const { status } = context.view();
  if (status === 'running') return locked();
  const last = newestMessage(context.sql);
  if (status === 'awaiting_input' || last?.role !== 'user') {
    return refused(
      'resume_not_valid',
      'A reply can be gone on with only while the conversation ends with a user message and no call waits.',
    );
  }
  const open = openPartial(context.sql) ?? null;
  if (body.ifRev !== undefined && open?.rev !== body.ifRev) return staleRevision(open?.rev);
  const edit = editedReply(body.message, open?.message.id ?? context.mintId('msg'), open?.message ?? null);
  if (!edit.ok) return edit;
  if (textOf(edit.value).trim() === '' && toolCalls(edit.value).length === 0) {
    return refused('resume_needs_text', 'A reply goes on from its visible text: the edit holds none.');
  }
  const able = continuable(change);
  if (!able.ok) return able;
  const start = { kind: 'resume', edit: edit.value, rev: open?.rev ?? 0 } as const;
  return admit(change, { start, ...giver, cancelOnDisconnect: body.cancelOnDisconnect });
};

/** `retry`: after a failure, the same again: the message, the staged answers, or the edit (FAIL-10, C-20). */
export const retry: Handler<'retry'> = (change, body, giver) => {
  const { context } = change;
  const { status } = context.view();
  if (status === 'running') return locked();
  const { thread } = context.row();
  const newest = newestEnded(context.sql, thread);
  const failed = newest?.ended.reason === 'failed';
  const shared = { ...giver, cancelOnDisconnect: body.cancelOnDisconnect };
  if (status === 'awaiting_input') {
    const all = currentAnswers(context.sql).map((row) => row.answer);
    if (!failed || all.length < context.view().pending.length) return awaiting();
    return admit(change, { start: { kind: 'answers', answers: all }, ...shared });
  }
  if (!failed) return refused('nothing_to_retry', 'The last turn did not fail.');
  const last = newestMessage(context.sql);
  if (last === undefined || last.role !== 'user') return refused('nothing_to_retry', 'The failed turn left nothing to answer.');
  const { input } = newest.row;
  if (input.kind === 'resume' && readMessage(context.sql, input.edit.id) === undefined) {
    const rev = openPartial(context.sql)?.rev ?? input.rev;
    return admit(change, { start: { kind: 'resume', edit: input.edit, rev }, ...shared });
  }
  return admit(change, { start: { kind: 'message', message: coreMessage(last), isNew: false }, ...shared });
};

/** `partial`: keeps the reply that was cut as a finished message, without its tool calls, or drops it (C-2). */
export const partial: Handler<'partial'> = (change, body) => {
  const { context, work } = change;
  if (context.view().status === 'running') return locked();
  const open = openPartial(context.sql);
  if (open === undefined) return refused('nothing_partial', 'There is no partial reply.');
  if (body.ifRev !== undefined && open.rev !== body.ifRev) return staleRevision(open.rev);
  const kept =
    body.op === 'keep'
      ? keptReply(
          change,
          body.message === undefined ? accepted(open.message) : editedReply(body.message, open.message.id, open.message),
        )
      : null;
  if (kept !== null && !kept.ok) return kept;
  dropPartial(context.sql);
  updateSession(context.sql, { updated: context.now() });
  const messages: StoredMessage[] = kept === null ? [] : [{ ...kept.value, run: open.run, created: context.now() }];
  for (const message of messages) putMessage(context.sql, context.row().thread, message);
  work.emit(stateEvent({ partial: null, ...(messages.length === 0 ? {} : { messages }) }));
  return accepted(null);
};

function keptReply({ context }: Change, reply: Outcome<Message>): Outcome<Message> {
  if (!reply.ok) return reply;
  const last = newestMessage(context.sql);
  if (last?.role !== 'user') return refused('nothing_partial', 'The conversation went on without the partial reply.');
  const content = reply.value.content.filter((part) => part.type !== 'tool_call');
  const kept = { ...reply.value, content };
  return textOf(kept).trim() === '' ? refused('resume_needs_text', 'The reply holds no visible text to keep.') : accepted(kept);
}

/** Refuses a continuation that the model is known not to do, before anything is written (INTR-21). */
function continuable({ context }: Change): Outcome<null> {
  const { mode, model } = context.row();
  const agent = context.agents.resolve({ mode, model, maxSteps: null, tools: null });
  if (!agent.ok) return agent;
  if (agent.value.models[0].model.continues !== false) return accepted(null);
  return refused(
    'unsupported_option',
    'This model cannot go on from an edited reply: keep the edit as a finished message and ask for the next.',
    {
      fallback: appendAndAsk,
    },
  );
}
