import { isObject, type Json } from '../../core/index.ts';
import type { CommandResult } from '../api.ts';
import type { Change } from '../context.ts';
import { type Actor, bodies, commandId, type CommandType, issuesOf, type Outcome, refused } from '../protocol/index.ts';
import { digestOf, putReceipt, readReceipt } from '../rows/receipts.ts';
import { answers } from './answers.ts';
import type { Giver, Handler } from './command.ts';
import { denyAll } from './deny.ts';
import { inbox } from './inbox.ts';
import { partial, resume, retry } from './reply.ts';
import { newThread, patch } from './settings.ts';
import { cancel, interrupt } from './stop.ts';
import { interject, message, turn } from './turn.ts';
import { undo } from './undo.ts';

const handlers: { readonly [T in CommandType]: Handler<T> } = {
  turn,
  answers,
  resume,
  retry,
  interject,
  message,
  cancel,
  interrupt,
  partial,
  deny_all: denyAll,
  inbox,
  patch,
  new: newThread,
  undo,
};

/** Carries out a command: receipt, body, rules, in this order (docs/wire.md, refusals). An accepted one leaves its receipt. */
export function carryOut(change: Change, type: CommandType, raw: Json, actor: Actor): Outcome<CommandResult> {
  const { sql } = change.context;
  const id = isObject(raw) && commandId.safeParse(raw.id).success ? (raw.id as string) : null;
  const digest = digestOf(type, raw);
  const receipt = id === null ? undefined : readReceipt(sql, id);
  if (receipt !== undefined) {
    if (receipt.digest === digest) return { ok: true, value: receipt.result };
    return refused('id_reused', 'Another command was accepted under this id: take a new one.');
  }
  const outcome = checked(change, type, raw, { actor, command: id });
  if (outcome.ok && id !== null) putReceipt(sql, id, digest, outcome.value);
  return outcome;
}

function checked(change: Change, type: CommandType, raw: Json, giver: Giver): Outcome<CommandResult> {
  const body = bodies[type].safeParse(raw);
  if (!body.success) {
    const issues = issuesOf(body.error);
    const first = issues[0];
    const where = first === undefined ? '' : ` ${first.path === '' ? 'It' : first.path}: ${first.message}.`;
    return refused('bad_request', `The body of ${type} is not right.${where}`, { issues });
  }
  return (handlers[type] as Handler<CommandType>)(change, body.data, giver);
}
