import { isObject, type JsonObject } from '../../src/core/index.ts';
import { textIn } from '../../src/models/read.ts';
import { highLimit, longText, lowLimit, notAsked, questions, redPixel, weatherTool } from './questions.ts';
import type { Report } from './report.ts';
import { type Answer, type Ask, refusal } from './wire.ts';

const user = (content: unknown): object => ({ type: 'message', role: 'user', content });

/** Learns what a model behind an OpenAI Responses endpoint does. `window` is the model's, in tokens. */
export async function probeResponses(ask: Ask, model: string, window: number | null): Promise<Report> {
  const said: string[] = [];
  // The API has no continuation (INTR-14).
  const facts: { -readonly [K in keyof Report['facts']]: Report['facts'][K] } = { prefill: 'none' };
  const send = (input: readonly object[], more: object = {}): Promise<Answer> =>
    ask({ model, stream: true, store: false, max_output_tokens: highLimit, input, ...more });

  const hello = await send([user(questions.hello)]);
  if (!hello.ok) return { said: [`It does not stream a reply: ${refusal(hello)}`], host: null, facts };
  const last = hello.events.at(-1);
  const usage = isObject(last?.response) && isObject(last.response.usage);
  said.push(`It streams; the last event is ${textIn(last?.type)}, ${usage ? 'with' : 'without'} usage.`);

  const limited = await send([user(questions.count)], { max_output_tokens: lowLimit });
  said.push(`A reply that is too long ends with ${limited.ok ? textIn(limited.events.at(-1)?.type) : refusal(limited)}.`);

  const hidden = await send([user(questions.hello)], { include: ['reasoning.encrypted_content'] });
  const thoughts = itemsOf(hidden).filter(({ type }) => type === 'reasoning');
  const sealed = thoughts.some((item) => textIn(item.encrypted_content) !== '');
  said.push(
    hidden.ok
      ? `Reasoning comes ${thoughts.length === 0 ? 'not at all' : sealed ? 'encrypted' : 'in the open'}.`
      : `It refuses to encrypt reasoning: ${refusal(hidden)}`,
  );

  const calling = await send([user(questions.weather)], { tools: [{ type: 'function', ...weatherTool, strict: false }] });
  const calls = itemsOf(calling).filter(({ type }) => type === 'function_call');
  if (calls.length > 1) facts.parallelCalls = true;
  said.push(calling.ok ? `Calls in one reply: ${calls.length}.` : `It refuses tools: ${refusal(calling)}`);

  const image = { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${redPixel}` };
  const picture = await send([user([{ type: 'input_text', text: questions.picture }, image])]);
  facts.images = picture.ok;
  said.push(picture.ok ? 'It takes images.' : `It takes no images: ${refusal(picture)}`);

  const unknown = await ask({ model: `${model}-that-nobody-has`, stream: true, store: false, input: [user('Hi')] });
  said.push(`A model that it does not have: ${refusal(unknown)}`);
  if (window === null) return { said: [...said, notAsked], host: null, facts };
  const long = await send([user(longText(window))]);
  return {
    said: [...said, `A prompt that is too long: ${long.ok ? 'it is taken' : refusal(long)}`],
    host: null,
    facts: { ...facts, window },
  };
}

function itemsOf(answer: Answer): readonly JsonObject[] {
  return answer.events.flatMap(({ type, item }) => (type === 'response.output_item.done' && isObject(item) ? [item] : []));
}
