import { startLlamaServer } from './server.ts';
import { isObject, type RequestBody } from './tool-call-invitation.ts';
import { makeWeights } from './weights.ts';

const user = { role: 'user', content: 'Hello?' };
const prefix = { role: 'assistant', content: 'The harness keeps every' };
const explicitContinue = { continue_final_message: true, add_generation_prompt: false };
const thinking = { chat_template_kwargs: { enable_thinking: true } };
const short = { max_tokens: 3 };
const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
};
const toolCall = { id: 'call-1', type: 'function', function: { name: 'get_weather', arguments: '{"city": "north", "days": 7}' } };
const afterTool = [
  user,
  { role: 'assistant', content: null, tool_calls: [toolCall] },
  { role: 'tool', tool_call_id: 'call-1', content: 'rain' },
];

const scenarios: Readonly<Record<string, RequestBody>> = {
  'text, streaming': { messages: [user], stream: true, stream_options: { include_usage: true } },
  'text, whole': { messages: [user] },
  'cut by max_tokens, streaming': { messages: [user], stream: true, ...short },
  'tool call, streaming': { messages: [user], tools: [weatherTool], stream: true },
  'tool call, whole': { messages: [user], tools: [weatherTool] },
  'tool call cut by max_tokens': { messages: [user], tools: [weatherTool], max_tokens: 36 },
  'answer after a tool result': { messages: afterTool, tools: [weatherTool] },
  'reasoning, streaming': { messages: [user], stream: true, ...thinking, max_tokens: 13 },
  'reasoning, then a tool call': { messages: [user], tools: [weatherTool], ...thinking },
  'prefill without flags, streaming': { messages: [user, prefix], stream: true, ...short },
  'prefill with flags, streaming': { messages: [user, prefix], stream: true, ...explicitContinue, ...short },
  'prefill without flags, whole': { messages: [user, prefix], ...short },
  'prefill with flags, whole': { messages: [user, prefix], ...explicitContinue, ...short },
  'prefill of reasoning, with flags, streaming': {
    messages: [user, { role: 'assistant', content: '', reasoning_content: 'First weigh' }],
    stream: true,
    ...explicitContinue,
    ...thinking,
    ...short,
  },
  'JSON schema': {
    messages: [user],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: weatherTool.function.parameters } },
  },
  'overflow, streaming': { messages: [{ role: 'user', content: 'x'.repeat(3000) }], stream: true },
  'two trailing assistant messages': { messages: [user, prefix, prefix] },
  'malformed arguments in the history': {
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [{ ...toolCall, function: { name: 'get_weather', arguments: '{"ci' } }] },
      { role: 'tool', tool_call_id: 'call-1', content: 'rain' },
    ],
  },
};

const startedAt = performance.now();
const server = await startLlamaServer({
  weights: makeWeights(),
  contextTokens: 2048,
  requestDefaults: { temperature: 0 },
});
console.log(`started in ${elapsed(startedAt)} at ${server.url}`);
for (const [title, body] of Object.entries(scenarios)) await show(title, body);
await abortMidStream();
await show('after the abort', { messages: [user], ...short });
await showSeveralAtOnce();
await server.close();

function post(body: RequestBody, signal?: AbortSignal): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return fetch(`${server.url}/v1/chat/completions`, signal ? { ...init, signal } : init);
}

async function show(title: string, body: RequestBody): Promise<void> {
  const sentAt = performance.now();
  const response = await post(body);
  const text = await response.text();
  console.log(`\n## ${title}: ${response.status} ${response.headers.get('content-type')} in ${elapsed(sentAt)}`);
  for (const line of shortened(text.split('\n').filter((candidate) => candidate !== ''))) console.log(withoutTimings(line));
}

/** The first and last lines, which is where the shapes differ. */
function shortened(lines: readonly string[]): readonly string[] {
  return lines.length <= 16 ? lines : [...lines.slice(0, 8), `… ${lines.length - 14} more …`, ...lines.slice(-6)];
}

function withoutTimings(line: string): string {
  return line.replace(/"timings":\{[^}]*\}/, '"timings":{…}');
}

async function abortMidStream(): Promise<void> {
  const controller = new AbortController();
  const sentAt = performance.now();
  const response = await post({ messages: [user], stream: true, ignore_eos: true, max_tokens: 2000 }, controller.signal);
  let received = 0;
  try {
    for await (const part of response.body ?? []) {
      received += part.length;
      if (received > 2000) controller.abort();
    }
  } catch (error) {
    const reason = isObject(error) ? error.name : error;
    console.log(`\n## aborted after ${received} bytes and ${elapsed(sentAt)}: ${String(reason)}`);
  }
}

async function showSeveralAtOnce(): Promise<void> {
  const sentAt = performance.now();
  const bodies = [1, 2, 3, 4, 5, 6].map((number) => ({ messages: [{ role: 'user', content: `Number ${number}` }] }));
  const responses = await Promise.all(bodies.map((body) => post(body)));
  console.log(`\n## six at once: ${responses.map((response) => response.status).join(' ')} in ${elapsed(sentAt)}`);
}

function elapsed(since: number): string {
  return `${Math.round(performance.now() - since)} ms`;
}
