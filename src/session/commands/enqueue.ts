import type { Delivery, Message } from '../../core/index.ts';
import type { CommandResult } from '../api.ts';
import { warnOfLeftOut } from '../attachments.ts';
import type { Change } from '../context.ts';
import { stateEvent } from '../recorder.ts';
import { accepted, type InboxItem, type Outcome } from '../protocol/index.ts';
import { putItem, readInbox } from '../rows/inbox.ts';
import type { Giver } from './command.ts';

/** Puts a message into the inbox, and into the running turn. */
export function enqueue({ context, work }: Change, message: Message, delivery: Delivery, giver: Giver): Outcome<CommandResult> {
  const item: InboxItem = { id: context.mintId('item'), message, delivery, held: false, by: giver.actor };
  putItem(context.sql, item);
  work.emit(stateEvent({ inbox: readInbox(context.sql) }));
  const run = context.runner.active;
  const agent = run === null ? null : context.agents.resolve(run.choice);
  if (run !== null && agent?.ok === true) warnOfLeftOut(work, run, message, agent.value);
  work.after(() => context.runner.interject(message, delivery));
  return accepted({ inbox: item.id });
}
