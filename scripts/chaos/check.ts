import { isDeepStrictEqual } from 'node:util';
import { type Message, resultsId, textOf, toolCalls, type ToolResultPart } from '../../src/core/index.ts';
import {
  applyEvent,
  type EndedRun,
  type SessionEvent,
  type Snapshot,
  type StoredMessage,
} from '../../src/session/protocol/index.ts';
import type { ChatMessage, RecordedRequest } from '../../test/e2e/fake-openai.ts';
import type { Client, Given } from './client.ts';

import { askedIn } from './model.ts';
import type { Fault, Report } from './report.ts';
import { allEvents, allMessages, readSnapshot } from './session.ts';
import { answeredTag, isWhole, notesIn, lastInput } from './words.ts';

/** A session at rest, and all that is known of it from outside. */
export interface Evidence {
  readonly scope: string;
  /** Its address. */
  readonly session: string;
  /** What it showed before its first command. */
  readonly blank: Snapshot;
  readonly clients: readonly Client[];
  /** What came to the model's server for it. */
  readonly requests: readonly RecordedRequest[];
  /** How often the runtime died in its time. */
  readonly kills: number;
  readonly report: Report;
}

/** What was read of it, once it was at rest. */
interface Record extends Evidence {
  readonly snapshot: Snapshot;
  readonly messages: readonly StoredMessage[];
  readonly events: readonly SessionEvent[];
  fault(fault: Fault, what: string): void;
}

/** Checks every promise of docs/reliability.md on a session at rest; what is not kept goes to the report. */
export async function checkSession(evidence: Evidence): Promise<void> {
  const { session, report, scope } = evidence;
  const snapshot = await readSnapshot(session);
  const record: Record = {
    ...evidence,
    snapshot,
    messages: await allMessages(session),
    events: await allEvents(session, snapshot),
    fault: (fault, what) => report.fault(fault, scope, what),
  };
  checkSequence(record);
  checkTurns(record);
  checkInputs(record);
  checkCancels(record);
  checkPairs(record.messages, record.fault);
  checkCalls(record);
  checkNotes(record);
  checkReplies(record);
  checkRequests(record);
}

/** The events are one sequence without a gap, their sum is the snapshot, and so is what every client shows. */
function checkSequence({ events, snapshot, blank, clients, fault }: Record): void {
  const wrong = events.findIndex((event, index) => event.seq !== index + 1);
  if (wrong !== -1 || events.length !== snapshot.seq) fault('gap', `the stored events break off at ${wrong} of ${snapshot.seq}`);
  const folded = events.reduce<Snapshot>(applyEvent, { ...blank, epoch: snapshot.epoch });
  for (const [name, shown] of [
    ['its events', folded] as const,
    ...clients.map((client) => [client.name, client.shown] as const),
  ]) {
    const [theirs, ours] = [shown ?? blank, snapshot].map((value) => JSON.stringify({ ...value, presence: [] }));
    if (!isDeepStrictEqual(JSON.parse(theirs ?? ''), JSON.parse(ours ?? ''))) {
      fault('wrong', `${name} do not show the snapshot:\n  ${theirs}\n  ${ours}`);
    }
  }
}

/** Every turn began once and ended once, in order; none failed, since no turn of a round dies three times. */
function checkTurns({ events, snapshot, report, fault }: Record): void {
  const starts = events.filter((event) => event.type === 'turn_started' && event.parent === null);
  const ends = events.filter((event) => event.type === 'turn_ended' && event.parent === null);
  for (const [what, list] of [['begin', starts] as const, ['end', ends] as const]) {
    const turns = list.map(({ turn }) => turn);
    const expected = Array.from({ length: snapshot.turn }, (_, index) => index + 1);
    if (!isDeepStrictEqual(turns, expected)) fault('doubled', `turns ${what} as ${turns.join(' ')}`);
  }
  for (const end of endedRuns(events)) if (end.reason === 'failed') fault('lost', `turn ${end.turn} failed: ${end.error?.class}`);
  if (snapshot.status !== 'idle') fault('hung', `it is ${snapshot.status} at the end`);
  report.count('turns', snapshot.turn);
  report.count('recovered', events.filter((event) => event.type === 'warning' && event.code === 'recovered').length);
  report.count('discarded', events.filter((event) => event.type === 'message_discarded' && event.reason === 'recovered').length);
}

/** Every accepted input is in the conversation or in the inbox, once; every refused one is in neither. */
function checkInputs({ clients, messages, snapshot, events, report, fault }: Record): void {
  const cancelled = new Set(endedRuns(events).flatMap(({ run, reason }) => (reason === 'cancelled' ? [run] : [])));
  for (const { input, answer, command } of givenBy(clients)) {
    if (answer === null) fault('lost', `${command.type} ${command.id} has no answer`);
    if (input === null || answer === null) continue;
    const landed = messages.filter((message) => message.role === 'user' && lastInput(textOf(message))?.tag === input.tag);
    const waits = snapshot.inbox.filter(({ message }) => lastInput(textOf(message))?.tag === input.tag);
    const there = landed.length + waits.length;
    const accepted = 'result' in answer;
    if (accepted) report.count('inputs');
    if (accepted && there === 0) fault('lost', `the input ${input.tag} was accepted and is gone`);
    if (there > (accepted ? 1 : 0)) fault('doubled', `the input ${input.tag} is there ${there} times`);
    for (const message of landed) {
      const next = messages.slice(messages.indexOf(message)).find(({ role }) => role === 'assistant');
      if (next === undefined && !cancelled.has(message.run ?? '')) fault('lost', `the input ${input.tag} was never answered`);
    }
    const answers = messages.filter((message) => message.role === 'assistant' && answeredTag(textOf(message)) === input.tag);
    if (answers.length > 1) fault('doubled', `the input ${input.tag} was answered ${answers.length} times`);
  }
}

/** A cancel that was accepted before its run had ended holds, whatever died after. */
function checkCancels({ clients, events, fault }: Record): void {
  const ends = new Map(endedRuns(events).map((end) => [end.run, end]));
  for (const { cancels, answer, endSeen, command } of givenBy(clients)) {
    if (cancels === null || answer === null || 'code' in answer || endSeen) continue;
    const reason = ends.get(cancels)?.reason;
    if (reason !== 'cancelled') fault('lost', `the cancel ${command.id} was accepted, and its turn ended ${reason}`);
  }
}

/** Every call of a stored reply has one result, right behind it (the property that providers insist on). */
function checkPairs(messages: readonly Message[], fault: Record['fault']): void {
  for (const [index, message] of messages.entries()) {
    const calls = toolCalls(message).map(({ id }) => id);
    if (calls.length === 0) continue;
    const next = messages[index + 1];
    const settled = next?.id === resultsId(message.id) ? resultsOf(next).map(({ callId }) => callId) : [];
    if (!isDeepStrictEqual(settled, calls))
      fault('unpaired', `${calls.length} calls with ${settled.length} results in ${message.id}`);
  }
}

/** A call settles once; one with an effect begins once. */
function checkCalls({ events, messages, report, fault }: Record): void {
  const names = new Map(messages.flatMap((message) => toolCalls(message).map(({ id, name }) => [id, name] as const)));
  for (const event of events) if (event.type === 'tool_call_started') names.set(event.id, event.name);
  const begun = new Map<string, number>();
  const outcomes = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'tool_started') begun.set(event.id, (begun.get(event.id) ?? 0) + 1);
    if (event.type !== 'tool_ended') continue;
    const outcome = JSON.stringify(event.outcome);
    if ((outcomes.get(event.id) ?? outcome) !== outcome) fault('doubled', `the call ${event.id} has two outcomes`);
    outcomes.set(event.id, outcome);
  }
  for (const [id, times] of begun) {
    if (times > 1 && names.get(id) === 'write_note') fault('doubled', `the call ${id} of write_note began ${times} times`);
  }
  report.count('calls', outcomes.size);
}

/** A note is there once where its call says so, and at most once where that is not known. */
function checkNotes({ messages, report, fault }: Record): void {
  const results = messages.flatMap(resultsOf);
  const calls = messages.flatMap(toolCalls);
  const audit = calls.findLast(({ name }) => name === 'read_notes');
  const read = textIn(results.find(({ callId }) => callId === audit?.id));
  if (read.includes('older notes')) fault('wrong', 'more notes than one reading gives');
  const notes = notesIn(read);
  for (const name of new Set(notes)) {
    const times = notes.filter((other) => other === name).length;
    if (times > 1) fault('doubled', `the note ${name} was written ${times} times`);
  }
  for (const call of calls.filter(({ name }) => name === 'write_note')) {
    const [name = ''] = notesIn(String(call.input.text));
    const said = textIn(results.find(({ callId }) => callId === call.id));
    if (said.startsWith('Saved') && !notes.includes(name)) fault('lost', `the note ${name} was saved and is gone`);
    if (/denied|skipped/i.test(said) && notes.includes(name))
      fault('wrong', `the note ${name} is there, and its call did not run`);
    if (/outcome unknown/i.test(said)) report.count('unknown');
  }
}

/** Stored replies are whole. */
function checkReplies({ messages, fault }: Record): void {
  for (const message of messages.filter(({ role }) => role === 'assistant')) {
    if (!isWhole(textOf(message))) fault('lost', `the reply ${message.id} is not whole: ${textOf(message)}`);
  }
}

/** The model was asked again only for what a death took, and never with a call that has no result. */
function checkRequests({ requests, kills, fault }: Record): void {
  const times = new Map<string, number>();
  for (const { text, body } of requests) {
    times.set(text, (times.get(text) ?? 0) + 1);
    if (!isPaired(body.messages)) fault('unpaired', `a request with calls that have no results: ${askedIn(body.messages)?.tag}`);
  }
  for (const [text, count] of times) {
    if (count > kills + 1) fault('doubled', `the same was asked ${count} times with ${kills} deaths: ${text.slice(-300)}`);
  }
}

function isPaired(messages: readonly ChatMessage[]): boolean {
  return messages.every((message, index) => {
    const calls = message.tool_calls ?? [];
    const results = messages.slice(index + 1, index + 1 + calls.length);
    return calls.every(({ id }) => results.some((result) => result.role === 'tool' && result.tool_call_id === id));
  });
}

function givenBy(clients: readonly Client[]): readonly Given[] {
  return clients.flatMap(({ given }) => given);
}

function endedRuns(events: readonly SessionEvent[]): EndedRun[] {
  return events.flatMap((event) => {
    return event.type === 'state' && event.lastEnded !== undefined && event.lastEnded !== null ? [event.lastEnded] : [];
  });
}

function resultsOf(message: Message): readonly ToolResultPart[] {
  return message.content.filter((part): part is ToolResultPart => part.type === 'tool_result');
}

function textIn(result: ToolResultPart | undefined): string {
  return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
