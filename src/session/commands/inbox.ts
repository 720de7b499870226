import { admit } from '../admission.ts';
import { userMessage } from '../content.ts';
import { accepted, type InboxItem, refused } from '../protocol/index.ts';
import { stateEvent } from '../recorder.ts';
import { dropItem, putItem, readInbox } from '../rows/inbox.ts';
import type { Handler } from './command.ts';

/** `inbox`: edits, drops or sends a message that has not landed (STEER-10). */
export const inbox: Handler<'inbox'> = (change, body, giver) => {
  const { context, work } = change;
  const { sql, runner } = context;
  const item = readInbox(sql).find((waiting) => waiting.id === body.item);
  if (item === undefined) return refused('not_found', 'No message with this id waits: it has landed or was dropped.');
  if (body.op === 'drop') {
    dropItem(sql, item.id);
    work.emit(stateEvent({ inbox: readInbox(sql) }));
    work.after(() => runner.withdraw(item.message.id));
    return accepted(null);
  }
  const input =
    body.message === undefined ? accepted(item.message) : userMessage(body.message, () => item.message.id, context.attachments);
  if (!input.ok) return input;
  const changed: InboxItem = { ...item, message: input.value, delivery: body.delivery ?? item.delivery };
  const { status } = context.view();
  if (body.op === 'send' && status === 'idle') {
    dropItem(sql, item.id);
    const start = { kind: 'message', message: changed.message, isNew: true } as const;
    return admit(change, { start, ...giver, cancelOnDisconnect: body.cancelOnDisconnect, changes: { inbox: readInbox(sql) } });
  }
  putItem(sql, body.op === 'send' ? { ...changed, held: false } : changed);
  work.emit(stateEvent({ inbox: readInbox(sql) }));
  if (body.op === 'send' && item.held) work.after(() => runner.interject(changed.message, changed.delivery));
  else work.after(() => runner.amend(item.message.id, changed.message, changed.delivery));
  return accepted(body.op === 'send' ? { inbox: item.id } : null);
};
