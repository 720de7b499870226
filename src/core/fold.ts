import type { Event } from './event.ts';
import type { Json, JsonObject } from './json.ts';
import { isResults, type Message, type Part, resultsId, type ToolResultPart, toolCalls } from './message.ts';
import type { Pending } from './need.ts';
import { isThrown, type Outcome, resultPart } from './result.ts';

/** Where a call stands: its input streams in, it waits for its start, it runs, it waits for the host, it ended. */
export type CallState = 'preparing' | 'ready' | 'running' | 'waiting' | 'done' | 'failed';

/** A call of the step in progress. `json` is the raw argument text so far, for display; `input` is null until it is whole. */
export interface CallView {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject | null;
  readonly json: string;
  readonly state: CallState;
  /** What the tool last reported; reports that are texts are joined, and the newest 64 Ki characters kept. */
  readonly progress: Json;
  readonly outcome: Outcome | null;
}

/** The reply in progress and its calls. `attributes` is what the whole message carries beside id, role and content; null while it streams. */
export interface StepView {
  readonly id: string;
  readonly content: readonly Part[];
  readonly calls: readonly CallView[];
  readonly attributes: JsonObject | null;
}

/** What a screen shows of a conversation: whole messages, the step in progress, the calls that wait for an answer. */
export interface View {
  readonly messages: readonly Message[];
  readonly step: StepView | null;
  readonly pending: readonly Pending[];
}

/** The view of an empty conversation. */
export const emptyView: View = { messages: [], step: null, pending: [] };

/** The most characters of joined text progress that a view keeps. */
export const progressTextLimit = 65_536;

/**
 * Folds one event of a run into a view. Pure; unknown and nested events change nothing. The messages it gives are those of
 * the Run, ids included, for whoever puts the turn's own user message, or the edit of a Resume (`resumed`), in first.
 */
export function fold(view: View, event: Event): View {
  if (event.parent !== null) return view;
  switch (event.type) {
    case 'step_started':
      return event.n === 0 ? { ...view, step: pausedStep(view) } : view;
    case 'message_started':
      return { ...view, step: { id: event.id, content: [], calls: [], attributes: null } };
    case 'message_resumed':
      return view.step?.id === event.id ? view : { ...view, step: { id: event.id, content: [], calls: [], attributes: null } };
    case 'text_delta':
      return withStep(view, event.id, (step) => ({ ...step, content: appendText(step.content, 'text', event.text) }));
    case 'reasoning_delta':
      return withStep(view, event.id, (step) => ({ ...step, content: appendText(step.content, 'reasoning', event.text) }));
    case 'tool_call_started':
      return addCall(view, event.id, event.name);
    case 'tool_input_delta':
      return changeCall(view, event.id, (call) => ({ json: call.json + event.json }));
    case 'tool_call_ready':
      return readyCall(view, event.id, event.input);
    case 'message_ended':
      return withStep(view, event.id, (step) => wholeStep(step, event.message));
    case 'tool_progress':
      return changeCall(view, event.id, (call) => ({ progress: joinProgress(call.progress, event.value) }));
    case 'tool_ended':
      return changeCall(view, event.id, () => ({ outcome: event.outcome, state: failed(event.outcome) ? 'failed' : 'done' }));
    case 'step_ended':
      return { ...view, messages: settled(view), step: null, pending: event.n === 0 && view.step !== null ? [] : view.pending };
    case 'input_requested':
      return { messages: settled(view), step: null, pending: event.pending };
    case 'interjected':
      return { ...view, messages: [...view.messages, event.message] };
    case 'turn_ended':
      return { ...view, step: null };
    default:
      return view;
  }
}

/** The view with the edit of a Resume in progress, as it stands before `message_resumed`. */
export function resumed(view: View, edit: Message): View {
  const calls = toolCalls(edit).map((call): CallView => ({
    ...blankCall(call.id, call.name),
    input: call.input,
    state: 'ready',
  }));
  return { ...view, step: { id: edit.id, content: edit.content, calls, attributes: null } };
}

/** Changes one call of the step in progress; a view without that call stays as it is. */
export function changeCall(view: View, id: string, change: (call: CallView) => Partial<CallView>): View {
  if (view.step === null || !view.step.calls.some((call) => call.id === id)) return view;
  const calls = view.step.calls.map((call) => (call.id === id ? { ...call, ...change(call) } : call));
  return { ...view, step: { ...view.step, calls } };
}

/**
 * The message with the results of an assistant message: those it has already, then the new ones by call id, in the order of
 * the calls (TOOL-26). Null when there is none.
 */
export function resultsMessage(
  assistant: Message,
  existing: Message | undefined,
  outcomes: ReadonlyMap<string, Outcome>,
): Message | null {
  const known = new Map<string, ToolResultPart>();
  for (const part of existing?.content ?? []) if (part.type === 'tool_result') known.set(part.callId, part);
  for (const [callId, outcome] of outcomes) known.set(callId, resultPart(callId, outcome));
  const content = toolCalls(assistant).flatMap((call) => known.get(call.id) ?? []);
  if (content.length === 0) return null;
  return { ...existing, id: resultsId(assistant.id), role: 'user', content };
}

function failed(outcome: Outcome): boolean {
  return isThrown(outcome) || outcome.error;
}

function blankCall(id: string, name: string): CallView {
  return { id, name, input: null, json: '', state: 'preparing', progress: null, outcome: null };
}

function withStep(view: View, id: string, change: (step: StepView) => StepView): View {
  return view.step?.id === id ? { ...view, step: change(view.step) } : view;
}

function appendText(content: readonly Part[], type: 'text' | 'reasoning', text: string): readonly Part[] {
  const last = content.at(-1);
  if (last?.type === type) return [...content.slice(0, -1), { ...last, text: last.text + text }];
  return [...content, { type, text }];
}

function addCall(view: View, id: string, name: string): View {
  if (view.step === null) return view;
  const { content, calls } = view.step;
  const part: Part = { type: 'tool_call', id, name, input: {} };
  return { ...view, step: { ...view.step, content: [...content, part], calls: [...calls, blankCall(id, name)] } };
}

function readyCall(view: View, id: string, input: JsonObject): View {
  const changed = changeCall(view, id, () => ({ input, state: 'ready' }));
  if (changed.step === null) return changed;
  const content = changed.step.content.map((part) => (part.type === 'tool_call' && part.id === id ? { ...part, input } : part));
  return { ...changed, step: { ...changed.step, content } };
}

function wholeStep(step: StepView, message: Message): StepView {
  const { id: _id, role: _role, content, ...attributes } = message;
  const calls = toolCalls(message).map((call): CallView => {
    const seen = step.calls.find((view) => view.id === call.id) ?? blankCall(call.id, call.name);
    return { ...seen, input: call.input, state: seen.state === 'preparing' ? 'ready' : seen.state };
  });
  return { ...step, content, calls, attributes };
}

function joinProgress(before: Json, value: Json): Json {
  if (typeof before !== 'string' || typeof value !== 'string') return value;
  return (before + value).slice(-progressTextLimit);
}

/** The step that waits for answers: the last assistant message, with the outcomes that its results hold left out. */
function pausedStep(view: View): StepView | null {
  const assistant = view.messages.findLast((message) => message.role === 'assistant');
  if (assistant === undefined) return null;
  const waiting = new Set(view.pending.map((pending) => pending.call.id));
  const calls = toolCalls(assistant)
    .filter((call) => waiting.has(call.id))
    .map((call): CallView => ({ ...blankCall(call.id, call.name), input: call.input, state: 'ready' }));
  return { id: assistant.id, content: assistant.content, calls, attributes: {} };
}

/** The messages once the step in progress is settled: its assistant message and the results known so far. */
function settled(view: View): readonly Message[] {
  const { messages, step } = view;
  if (step === null || step.attributes === null) return messages;
  const present = messages.find((message) => message.id === step.id);
  const assistant: Message = present ?? { ...step.attributes, id: step.id, role: 'assistant', content: step.content };
  const outcomes = new Map(step.calls.flatMap((call) => (call.outcome === null ? [] : [[call.id, call.outcome] as const])));
  const existing = messages.find((message) => message.id === resultsId(step.id) && isResults(message));
  const results = resultsMessage(assistant, existing, outcomes);
  const kept = results === null ? messages : messages.filter((message) => message !== existing);
  return [...kept, ...(present === undefined ? [assistant] : []), ...(results === null ? [] : [results])];
}
