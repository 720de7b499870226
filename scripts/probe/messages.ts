import { isObject, type JsonObject } from '../../src/core/index.ts';
import { textIn } from '../../src/models/read.ts';
import { continuation, edit, highLimit, longText, lowLimit, notAsked, questions, redPixel, weatherTool } from './questions.ts';
import type { Report } from './report.ts';
import { type Answer, type Ask, refusal } from './wire.ts';

const user = (content: unknown): object => ({ role: 'user', content });

/** Learns what a model behind an Anthropic Messages endpoint does. `window` is the model's, in tokens. */
export async function probeMessages(ask: Ask, model: string, window: number | null): Promise<Report> {
  const said: string[] = [];
  const facts: { -readonly [K in keyof Report['facts']]: Report['facts'][K] } = {};
  const send = (messages: readonly object[], more: object = {}): Promise<Answer> =>
    ask({ model, max_tokens: highLimit, stream: true, messages, ...more });

  const hello = await send([user(questions.hello)]);
  if (!hello.ok) return { said: [`It does not stream a reply: ${refusal(hello)}`], host: null, facts };
  const usage = hello.events.filter(
    (event) => isObject(event.usage) || (isObject(event.message) && isObject(event.message.usage)),
  );
  said.push(
    `It streams; stop_reason ${stopOf(hello)}; usage in ${usage.map(({ type }) => String(type)).join(', ') || 'no event'}.`,
  );

  const limited = await ask({ model, max_tokens: lowLimit, stream: true, messages: [user(questions.count)] });
  said.push(`A reply that is too long ends with ${limited.ok ? stopOf(limited) : refusal(limited)}.`);

  const { parameters, ...tool } = weatherTool;
  const calling = await send([user(questions.weather)], { tools: [{ ...tool, input_schema: parameters }] });
  const calls = blocksOf(calling).filter(({ type }) => type === 'tool_use');
  if (calls.length > 1) facts.parallelCalls = true;
  said.push(
    calling.ok ? `Calls in one reply: ${calls.length}; stop_reason ${stopOf(calling)}.` : `It refuses tools: ${refusal(calling)}`,
  );
  if (blocksOf(calling).some(({ type }) => type === 'thinking')) said.push('It thinks unasked.');

  const begun = await send([user(edit.asked), { role: 'assistant', content: edit.begun }]);
  const outcome = begun.ok ? continuation(textOf(begun)) : 'refused';
  facts.prefill = outcome === 'continued' || outcome === 'echoed' ? 'implicit' : 'none';
  said.push(`Continuing a reply: ${outcome === 'refused' ? refusal(begun) : outcome}.`);

  const source = { type: 'base64', media_type: 'image/png', data: redPixel };
  const picture = await send([
    user([
      { type: 'text', text: questions.picture },
      { type: 'image', source },
    ]),
  ]);
  facts.images = picture.ok;
  said.push(picture.ok ? 'It takes images.' : `It takes no images: ${refusal(picture)}`);

  said.push(
    `A model that it does not have: ${refusal(await ask({ model: `${model}-that-nobody-has`, max_tokens: 1, stream: true, messages: [user('Hi')] }))}`,
  );
  if (window === null) return { said: [...said, notAsked], host: null, facts };
  const long = await send([user(longText(window))]);
  return {
    said: [...said, `A prompt that is too long: ${long.ok ? 'it is taken' : refusal(long)}`],
    host: null,
    facts: { ...facts, window },
  };
}

function blocksOf(answer: Answer): readonly JsonObject[] {
  return answer.events.flatMap(({ content_block: block }) => (isObject(block) ? [block] : []));
}

function textOf(answer: Answer): string {
  return answer.events.map(({ delta }) => (isObject(delta) ? textIn(delta.text) : '')).join('');
}

function stopOf(answer: Answer): string {
  return answer.events.map(({ delta }) => (isObject(delta) ? textIn(delta.stop_reason) : '')).join('') || 'none';
}
