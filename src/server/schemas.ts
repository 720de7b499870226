import * as z from 'zod';
import { rulesShape } from '../config/index.ts';
import type { Upload } from '../session/api.ts';
import type { EndedRun, ModelUsage, Snapshot, Spent, StoredMessage, Summary, UsageList } from '../session/protocol/index.ts';
import { commandId, scopePattern } from '../session/protocol/index.ts';
import type { FileEntry } from '../tools/index.ts';
import type { ListedChange, ListedState } from '../workspace/index.ts';
import { roles } from './identity/index.ts';

// The shapes of answers and queries, for the description of the API. The compiler holds them to the wire types by their keys.

type Shape<T> = { readonly [K in keyof T]-?: z.ZodType };

const time = z.int().describe('ms since 1970');
const event = z.looseObject({ type: z.string() });
const usage = z.looseObject({}).describe('Token counts.');
const cost = z.number().nullable().describe('USD; null when it is not wholly known, which is never zero.');
const spent = z.looseObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cost,
} satisfies Shape<Spent>);

/** A refusal (RFC 9457). */
export const problem = z.looseObject({
  type: z.string().describe('urn:reins:problem:<code>'),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What to do about it.'),
  code: z.string().describe('Stable.'),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  fallback: z.string().optional(),
  decided: z.looseObject({}).optional(),
  options: z.array(z.string()).optional(),
});

const actor = z.object({ participant: z.string(), client: z.string().optional() });
const status = z.enum(['idle', 'running', 'awaiting_input']);
const content = z.array(z.looseObject({ type: z.string() }));
const message = z.looseObject({ id: z.string(), role: z.enum(['user', 'assistant']), content });

/** A message with what the session knows of it. */
const storedMessage = z.looseObject({
  ...message.shape,
  run: z.string().nullable(),
  created: time,
  finish: z.string().optional(),
  usage: usage.optional(),
  model: z.string().optional().describe('The model that gave the reply.'),
  cost: z.number().optional().describe('USD, where it is known.'),
  by: actor.optional(),
} satisfies Shape<StoredMessage>);

const pending = z.looseObject({
  call: z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), input: z.looseObject({}) }),
  needs: z.array(z.looseObject({ type: z.enum(['approval', 'question']), id: z.string() })),
  state: z.unknown(),
});

/** A line of the session list. */
export const summary = z.object({
  scope: z.string(),
  title: z.string(),
  status,
  mode: z.string(),
  model: z.string().nullable(),
  updated: time,
  created: time,
  needs: z.int().describe('How many calls wait for an answer.'),
  last: z.string().describe('The newest text, cut.'),
} satisfies Shape<Summary>);

/** How a run ended. */
export const endedRun = z.looseObject({
  run: z.string(),
  turn: z.int(),
  reason: z.enum(['done', 'stopped', 'awaiting_input', 'cancelled', 'interrupted', 'failed']),
  finish: z.enum(['stop', 'length', 'tool_calls', 'refusal', 'other']).nullable(),
  appended: z.array(message),
  pending: z.array(pending),
  usage,
  cost,
  error: z.object({ class: z.string(), message: z.string() }).nullable(),
  errorKind: z.string().nullable(),
  partial: message.nullable(),
  queued: z.array(message),
  text: z.string(),
  fallback: z.string().optional(),
  by: actor.optional(),
} satisfies Shape<EndedRun>);

const inboxItem = z.looseObject({ id: z.string(), message, delivery: z.enum(['steer', 'queue']), held: z.boolean(), by: actor });
const partial = z.looseObject({ run: z.string(), message, rev: z.int(), by: actor.nullable() });
const step = z.looseObject({ id: z.string(), content, calls: z.array(z.looseObject({ id: z.string(), name: z.string() })) });
const presence = z.looseObject({ participant: z.string(), client: z.string() });

/** All that a screen shows of a session. */
export const snapshot = z.looseObject({
  scope: z.string(),
  title: z.string(),
  mode: z.string(),
  model: z.string().nullable(),
  status,
  epoch: z.int(),
  seq: z.int(),
  thread: z.int(),
  run: z.string().nullable(),
  turn: z.int(),
  messages: z.array(storedMessage),
  more: z.boolean(),
  step: step.nullable(),
  pending: z.array(pending),
  staged: z.array(z.looseObject({ callId: z.string(), by: actor })),
  inbox: z.array(inboxItem),
  partial: partial.nullable(),
  left: z.array(partial),
  plan: z.unknown(),
  tasks: z.array(z.unknown()),
  files: z.object({ rev: z.int() }),
  usage: z.looseObject({ session: spent, context: z.object({ used: z.int(), window: z.int().nullable() }) }),
  lastEnded: endedRun.nullable(),
  presence: z.array(presence),
} satisfies Shape<Snapshot>);

/** An event of a session, as it travels. */
export const sessionEvent = event.extend({
  seq: z.int(),
  run: z.string().nullable(),
  turn: z.int().nullable(),
  parent: z.string().nullable(),
  at: time.optional(),
});

/** What an accepted command gives. */
export const receipt = z.union([
  z.object({ run: z.string(), turn: z.int(), cursor: z.string() }),
  z.object({ run: z.null(), staged: z.array(z.string()) }),
  z.object({ inbox: z.string() }),
  z.object({ undone: z.array(z.string()) }),
]);

/** What `POST /sessions` takes. */
export const newSession = z.strictObject({
  scope: z.string().regex(scopePattern).optional(),
  title: z.string().trim().min(1).max(200).optional(),
  mode: z.string().max(128).optional(),
  model: z.string().max(256).nullable().optional(),
});

/** What stands at a path of a session's files. */
export const fileEntry = z.object({
  path: z.string().describe('From the root, `/` between names.'),
  kind: z.enum(['file', 'folder', 'link']),
  rev: z.int().describe('The revision that wrote it; 0 for a folder with something in it.'),
  hash: z.string().describe('SHA-256 of its bytes; empty for a folder.'),
  size: z.int().describe('Bytes.'),
  executable: z.boolean(),
  modified: time,
} satisfies Shape<FileEntry>);

/** One page of what stands directly in a folder. */
export const folderPage = z.object({
  path: z.string(),
  rev: z.int().describe('The revision of all files.'),
  entries: z.array(fileEntry),
  cursor: z.string().nullable(),
});

/** What came of an archive. */
export const unpacked = z.object({ written: z.int().describe('Files, links and folders.') });

const fileContent = z.object({ hash: z.string(), size: z.int() }).nullable().describe('Null for nothing.');

const fileChange = z.object({
  id: z.int(),
  rev: z.int(),
  call: z.string().nullable().describe('The call of a tool; null for a person.'),
  turn: z.int().nullable(),
  path: z.string(),
  other: z.string().nullable().describe('Where a move went.'),
  files: z.array(z.object({ path: z.string(), before: fileContent, after: fileContent } satisfies Shape<ListedState>)),
} satisfies Shape<ListedChange>);

/** What `GET /sessions/:scope/changes` takes. */
export const changesQuery = z.object({
  before: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

/** One page of the journal, newest change first. */
export const changesPage = z.object({ changes: z.array(fileChange), cursor: z.int().nullable() });

const archive = z.enum(['zip']).optional().describe('A folder as an archive.');

/** What `GET /sessions/:scope/files/…` takes. */
export const filesQuery = z.object({
  archive,
  cursor: z.string().max(2048).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
});

/** What `PUT /sessions/:scope/files/…` takes. */
export const writeQuery = z.object({
  archive,
  executable: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .optional()
    .describe('Absent: as it was, or not.'),
});

/** What `GET /sessions` takes. */
export const listQuery = z.object({
  cursor: z.string().max(1024).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  q: z.string().max(200).optional(),
});

/** One page of the session list. */
export const sessionPage = z.object({ sessions: z.array(summary), cursor: z.string().nullable() });

/** What `GET /sessions/:scope/messages` takes. */
export const messagesQuery = z.object({
  before: commandId.optional().describe('A message id.'),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

/** What came of an upload. */
export const upload = z.object({
  hash: z.string().describe('SHA-256, in hexadecimal: a part of a message names it as `blob`.'),
  bytes: z.int(),
  mediaType: z.string(),
} satisfies Shape<Upload>);

/** One page of messages, in order. */
export const messagesPage = z.object({ messages: z.array(storedMessage), more: z.boolean() });

/** What a session used. */
export const usageList = z.object({
  session: spent.describe('All turns that have ended, as in the snapshot.'),
  models: z
    .array(
      z.looseObject({
        ...spent.shape,
        model: z.string(),
        replies: z.int(),
        unpriced: z.int().describe('Replies whose cost is not known: they are not in `cost`.'),
        cost: z.number().nullable().describe('USD of the replies whose cost is known; null when it is known of none.'),
      } satisfies Shape<ModelUsage>),
    )
    .describe('By model, those of the turn that runs with them.'),
} satisfies Shape<UsageList>);

/** Where a stream of events begins: after this cursor; without one, with a snapshot. */
export const cursorQuery = z.object({ cursor: z.string().optional() });

/** How an answer is awaited. */
export const waitQuery = z.object({ wait: z.string().optional().describe('Present: answer when the run has ended.') });

const effect = z.enum(['deny', 'ask', 'allow']);
const verdict = z.object({
  effect,
  rule: z.string().nullable().describe('The rule that says so; null: none does.'),
  part: z.string().nullable().describe('The part of its command that it is about; null: the call as a whole.'),
  why: z.string(),
});
const policyVersion = z.object({ version: z.string().describe('SHA-256 of the canonical rules.'), rules: z.int() });

/** What `POST /policy/simulate` takes. */
export const simulationBody = z.strictObject({
  scope: z.string().regex(scopePattern).describe('One of your own sessions.'),
  rules: rulesShape.describe('As in src/config/policy.ts.'),
  limit: z.int().min(1).max(1000).default(200).describe('The newest calls, at most so many.'),
});

/** What rules would make of past calls. */
export const simulation = z.object({
  configured: policyVersion.describe('The rules that hold.'),
  proposed: policyVersion.describe('Those that were sent.'),
  changed: z.int(),
  calls: z.array(
    z.object({
      id: z.string(),
      tool: z.string(),
      mode: z.string(),
      input: z.string().describe('As JSON, cut.'),
      configured: verdict,
      proposed: verdict,
      change: z.enum(['none', 'tighter', 'looser']),
    }),
  ),
});

/** That the server runs, and which release. */
export const health = z.object({ ok: z.literal(true), version: z.string() });

/** One thing that the doctor looked at. */
const check = z.object({ name: z.string(), status: z.enum(['ok', 'warn', 'fail']), detail: z.string() });

/** What the doctor found, worst first. */
export const diagnosis = z.object({ checks: z.array(check) });

/** What a participant may do. */
const may = z.object({
  participant: z.string(),
  role: z.enum(roles),
  write: z.boolean(),
  operate: z.boolean(),
  scope: z.string().nullable().describe('The only session, when there is only one.'),
});

/** What a client may choose from. */
export const config = z.object({
  modes: z.array(z.looseObject({ name: z.string(), description: z.string(), tools: z.array(z.string()) })),
  defaultMode: z.string().describe('The mode of a session that names none.'),
  models: z
    .array(
      z.looseObject({
        name: z.string(),
        demo: z.boolean().describe('True: no language model is connected.'),
        window: z.int().nullable().describe('Tokens; null when it is not known.'),
        output: z.int().nullable().describe('The longest reply in tokens; null when it is not known.'),
        capabilities: z
          .looseObject({
            continues: z.boolean().nullable().describe('Whether it can go on from an edited reply.'),
            images: z.boolean().nullable().describe('Whether it takes images.'),
            parallelCalls: z.boolean().nullable().describe('Whether a reply may hold several calls.'),
            thinking: z.string().nullable().describe('How a request asks it to think.'),
          })
          .describe('Null is what is not known.'),
        prices: z.array(z.looseObject({})).nullable().describe('USD for a million tokens; null when they are not known.'),
      }),
    )
    .describe('The first one speaks where none is chosen.'),
  tools: z.record(z.string(), z.array(z.string())).describe('The names of the tools of each mode.'),
  limits: z.object({
    bodyBytes: z.int(),
    frameBytes: z.int(),
    uploadBytes: z.int().describe('Of one attachment.'),
    commandsPerMinute: z.int().describe('Of a participant over HTTP; as many frames of one socket.'),
    socketsPerMinute: z.int().describe('Handshakes of a participant.'),
    sessionCommandsPerMinute: z.int().describe('That a session takes, over every transport.'),
    turnsAtOnce: z.int().nullable().describe('Of a participant; null: any number.'),
    maxSteps: z.int().describe('The most steps that a session may ask for.'),
  }),
  shell: z.enum(['container', 'embedded']).describe('What runs the commands of sessions: a container, or a bash in the isolate.'),
  may,
});
