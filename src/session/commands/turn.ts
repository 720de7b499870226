import { admit } from '../admission.ts';
import { isBroken, userMessage } from '../content.ts';
import { refused } from '../protocol/index.ts';
import { awaiting, type Handler, locked } from './command.ts';
import { settleDenied } from './deny.ts';
import { enqueue } from './enqueue.ts';

/** `turn`: starts a turn with a user message. */
export const turn: Handler<'turn'> = (change, body, giver) => {
  const { context } = change;
  const view = context.view();
  const message = userMessage(body.message, context.mintId, context.attachments);
  if (isBroken(message)) return message;
  if (view.status === 'running') return locked();
  if (view.status === 'awaiting_input') return awaiting();
  if (!message.ok) return message;
  if (body.schema !== undefined)
    return refused('unsupported_option', 'This version has no structured turns: leave `schema` out.');
  const { maxSteps, tools, cancelOnDisconnect } = body;
  return admit(change, {
    start: { kind: 'message', message: message.value, isNew: true },
    ...giver,
    maxSteps,
    tools,
    cancelOnDisconnect,
  });
};

/** `message`: whatever a person types. A turn when the session is idle, else a steer or a queued message (C-6, G-3). */
export const message: Handler<'message'> = (change, body, giver) => {
  const { context } = change;
  const { status } = context.view();
  const delivery = body.delivery ?? 'auto';
  const input = userMessage(body.message, context.mintId, context.attachments);
  if (isBroken(input)) return input;
  if (status === 'awaiting_input' && delivery !== 'queue' && delivery !== 'deny_pending')
    return awaiting(['queue', 'deny_pending']);
  if (!input.ok) return input;
  if (status === 'running') return enqueue(change, input.value, delivery === 'queue' ? 'queue' : 'steer', giver);
  if (status === 'awaiting_input' && delivery === 'queue') return enqueue(change, input.value, 'queue', giver);
  const changes = status === 'awaiting_input' ? settleDenied(change, null, giver.actor) : {};
  const start = { kind: 'message', message: input.value, isNew: true } as const;
  return admit(change, { start, ...giver, cancelOnDisconnect: body.cancelOnDisconnect, changes });
};

/** `interject`: hands the running turn a user message (STEER-01, STEER-12). */
export const interject: Handler<'interject'> = (change, body, giver) => {
  const { context } = change;
  const input = userMessage(body.message, context.mintId, context.attachments);
  if (isBroken(input)) return input;
  if (context.view().status !== 'running') return refused('no_running_turn', 'No turn is running: send the message as a turn.');
  return input.ok ? enqueue(change, input.value, body.delivery ?? 'steer', giver) : input;
};
