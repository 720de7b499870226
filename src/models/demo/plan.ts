import { isResults, type Message, type Prompt, textOf, type ToolResultPart, toolCalls } from '../../core/index.ts';
import { continuation } from './continuation.ts';
import { type DemoRequest, help, requests } from './requests.ts';
import { say, type Script } from './script.ts';
import { introduction, preface, shrug } from './texts.ts';

/** What of a prompt decides the reply. */
export type Asked = Pick<Prompt, 'messages' | 'tools' | 'continue'>;

/**
 * The reply to a prompt. Pure: the same prompt gives the same script. It goes on from an edited reply, reports the results
 * of its calls, or answers the newest user message; it calls only tools that the prompt offers.
 */
export function plan(prompt: Asked): Script {
  const { messages } = prompt;
  const last = messages.at(-1);
  if (last === undefined) return [say(introduce(prompt))];
  if (prompt.continue) return continuation(plan({ ...prompt, messages: messages.slice(0, -1), continue: false }), last);
  if (isResults(last)) return [say(report(last, messages))];
  return answer(prompt, textOf(last));
}

function answer(prompt: Asked, text: string): Script {
  const first = !prompt.messages.some((message) => message.role === 'assistant');
  const found = findRequest(text);
  if (found === null) return [say(first || help.test(text) ? introduce(prompt) : shrug)];
  const missing = (found.request.tools ?? []).filter((name) => !offers(prompt, name));
  const script =
    missing.length === 0 ? found.script : [say(`I cannot: the tool \`${missing.join('`, `')}\` is not offered here.`)];
  return first ? withPreface(script) : script;
}

function findRequest(text: string): { readonly request: DemoRequest; readonly script: Script } | null {
  for (const request of requests) {
    const match = request.pattern.exec(text);
    if (match !== null) return { request, script: request.script(match) };
  }
  return null;
}

/** Behind the reasoning; a script that only fails stays as it is. */
function withPreface(script: Script): Script {
  const place = script.findIndex((beat) => beat.type === 'text' || beat.type === 'call');
  return place < 0 ? script : [...script.slice(0, place), say(preface), ...script.slice(place)];
}

function introduce(prompt: Asked): string {
  const offered = requests.filter((request) => (request.tools ?? []).every((name) => offers(prompt, name)));
  return introduction + offered.map((request) => `- \`${request.say}\`: ${request.shows}`).join('\n');
}

function offers(prompt: Asked, name: string): boolean {
  return prompt.tools.some((spec) => spec.name === name);
}

/** How the results of the known tools read; any other is quoted. */
const reports: { readonly [name: string]: (text: string) => string } = {
  clock: (text) => `The clock says: ${text}.`,
  wait: (text) => text,
  ask_user: (text) => `You answered: ${text}`,
  write_note: () => 'The note is written.',
  read_notes: (text) => `The notes:\n\n${text}`,
};

function report(results: Message, messages: readonly Message[]): string {
  const names = new Map(messages.flatMap((message) => toolCalls(message).map((call) => [call.id, call.name] as const)));
  const parts = results.content.filter((part) => part.type === 'tool_result');
  return parts.map((part) => reportOne(names.get(part.callId) ?? 'tool', part)).join('\n\n');
}

function reportOne(name: string, result: ToolResultPart): string {
  const text = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  if (result.error) return `The call of \`${name}\` gave no result: ${text}`;
  return Object.hasOwn(reports, name) ? (reports[name]?.(text) ?? text) : `The tool \`${name}\` says: ${text}`;
}
