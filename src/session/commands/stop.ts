import type { CommandBody } from '../protocol/index.ts';
import { accepted } from '../protocol/index.ts';
import type { Change } from '../context.ts';
import { isOver, putStop, type StopKind } from '../rows/stops.ts';
import { type Giver, type Handler, nothingDone } from './command.ts';

/** `cancel`: ends the admitted turn, or the one that is named, even if that comes later (CANC-01, CANC-09). */
export const cancel: Handler<'cancel'> = (change, body, giver) => stop(change, body, giver, 'cancel');

/** `interrupt`: as cancel, but the reply so far is kept to be edited and gone on with (INTR-01, INTR-20). */
export const interrupt: Handler<'interrupt'> = (change, body, giver) => stop(change, body, giver, 'interrupt');

/** The stop is a row before it is carried out, so that it holds over a crash. */
function stop(
  { context, work }: Change,
  body: CommandBody<'cancel'>,
  giver: Giver,
  kind: StopKind,
): ReturnType<Handler<'cancel'>> {
  const { active } = context.runner;
  const target = body.target ?? active?.id;
  if (target === undefined || isOver(context.sql, target)) return nothingDone;
  putStop(context.sql, target, { kind, actor: giver.actor });
  if (active !== null && (active.id === target || active.command === target)) work.after(() => context.runner.stop(kind));
  return accepted(null);
}
