import * as z from 'zod';
import type { Json } from '../../core/index.ts';

/** The most bytes of one upload. */
export const uploadLimit = 10 * 1024 * 1024;

/** A command's id: at most 128 printable ASCII characters. */
export const commandId = z.string().regex(/^[\x20-\x7e]{1,128}$/, 'must be 1 to 128 printable characters');

const json: z.ZodType<Json> = z.json();
const part = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(part)]);
/** A bare text among the parts is told from a broken body: it is an attachment that is no media (ATT-04). */
const userContent = z.union([z.string(), z.array(z.union([z.string(), part]))]);

/** New user input: a text, or a message whose content is a text or a list of parts. */
const userInput = z
  .union([z.string(), z.looseObject({ role: z.literal('user').optional(), content: userContent })])
  .meta({ id: 'UserInput', description: 'New user input: a text, or a message with a list of parts.' });

/** An edit of a partial reply. */
const replyEdit = z
  .looseObject({ role: z.literal('assistant').optional(), content })
  .meta({ id: 'ReplyEdit', description: 'A reply as edited: its text and reasoning may differ, tool calls may not be added.' });

/** A decision on an approval, or to decline a question. */
export const decision = z.strictObject({
  allowed: z.boolean(),
  reason: z.string().max(4000).nullish(),
  scope: z.enum(['once', 'session']).optional(),
  input: z.record(z.string(), json).optional(),
  stop: z.boolean().optional(),
});

const answer = z
  .strictObject({
    callId: z.string(),
    decisions: z.record(z.string(), decision).default({}),
    values: z.record(z.string(), json).default({}),
  })
  .meta({ id: 'Answer', description: "One call's answer: decisions and values by need id." });

const nestedAnswers = z.record(z.string(), z.record(z.string(), json));

const id = commandId.optional();
const starts = { id, cancelOnDisconnect: z.boolean().optional() };
const delivery = z.enum(['steer', 'queue']);
const rev = z.int().nonnegative().optional();
const toolNames = z.array(z.string().max(128)).max(128);

/** The body of each command, beside its type. */
export const bodies = {
  turn: z.strictObject({
    ...starts,
    message: userInput,
    tools: toolNames.optional(),
    maxSteps: z.int().positive().optional(),
    schema: z.unknown().optional(),
  }),
  answers: z.strictObject({ ...starts, answers: z.union([z.array(answer), nestedAnswers]), now: z.boolean().optional() }),
  resume: z.strictObject({ ...starts, message: replyEdit, ifRev: rev }),
  retry: z.strictObject({ ...starts }),
  interject: z.strictObject({ id, message: userInput, delivery: delivery.optional() }),
  message: z.strictObject({
    ...starts,
    message: userInput,
    delivery: z.enum(['auto', 'steer', 'queue', 'deny_pending']).optional(),
  }),
  cancel: z.strictObject({ id, target: z.string().max(128).optional() }),
  interrupt: z.strictObject({ id, target: z.string().max(128).optional() }),
  partial: z.strictObject({ id, op: z.enum(['keep', 'drop']), message: replyEdit.optional(), ifRev: rev }),
  deny_all: z.strictObject({ id, reason: z.string().max(4000).optional() }),
  inbox: z.strictObject({
    ...starts,
    item: z.string().max(128),
    op: z.enum(['edit', 'drop', 'send']),
    message: userInput.optional(),
    delivery: delivery.optional(),
  }),
  patch: z.strictObject({
    id,
    title: z.string().trim().min(1).max(200).optional(),
    mode: z.string().max(128).optional(),
    model: z.string().max(256).nullable().optional(),
    maxSteps: z.int().positive().nullable().optional(),
  }),
  new: z.strictObject({ id }),
  undo: z.strictObject({ id, path: z.string().max(4096).optional(), turn: z.int().positive().optional() }),
} as const;

/** The name of a command. */
export type CommandType = keyof typeof bodies;

/** The checked body of a command. */
export type CommandBody<T extends CommandType> = z.infer<(typeof bodies)[T]>;

/** A frame of a client that is no command: how it wants to be seen by the others. */
export const presenceFrame = z.strictObject({
  type: z.literal('presence'),
  label: z.string().max(80).optional(),
  editing: z.boolean().optional(),
});

/** A participant's scope, as a client may name it. */
export const scopePattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/;

/** The most characters of an issue's path and message: both may hold names that a client made up. */
const issueLimit = 200;

/** The issues of a failed check, as refusals carry them. */
export function issuesOf(error: z.ZodError): { readonly path: string; readonly message: string }[] {
  return error.issues.slice(0, 20).map(({ path, message }) => {
    return { path: path.map(String).join('.').slice(0, issueLimit), message: message.slice(0, issueLimit) };
  });
}
