import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import { textIn } from '../../src/models/read.ts';
import type { CallIdRule, Continuation, Host } from '../../src/models/index.ts';
import { continuation, edit, highLimit, longText, lowLimit, notAsked, questions, redPixel, weatherTool } from './questions.ts';
import type { Report } from './report.ts';
import { type Answer, type Ask, refusal } from './wire.ts';

type Mutable<T> = { -readonly [K in keyof T]?: T[K] };

const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: string | null, more: object = {}): object => ({ role: 'assistant', content, ...more });
const tools = [{ type: 'function', function: weatherTool }];

/** Learns how a Chat Completions endpoint differs from others. `window` is the model's, in tokens: asked about only where it is named. */
export async function probeChat(ask: Ask, model: string, window: number | null): Promise<Report> {
  return new ChatProbe(ask, model).run(window);
}

/** One endpoint and one model, asked one thing after another: what was learnt goes into the questions that follow. */
class ChatProbe {
  readonly #ask: Ask;
  readonly #model: string;
  readonly #said: string[] = [];
  readonly #host: Mutable<Host> = { domains: [], ports: [] };
  readonly #facts: Mutable<Report['facts']> = {};
  #reasoning: string | null = null;

  constructor(ask: Ask, model: string) {
    this.#ask = ask;
    this.#model = model;
  }

  async run(window: number | null): Promise<Report> {
    if (await this.#streams()) {
      await this.#limit();
      await this.#calls();
      await this.#history();
      await this.#continues();
      await this.#pictures();
      await this.#errors(window);
    }
    return { said: this.#said, host: this.#host, facts: this.#facts };
  }

  /** Asks with the limit that the endpoint takes, as far as that is known. */
  #send(messages: readonly object[], more: object = {}): Promise<Answer> {
    const limit = { [this.#host.tokenLimit ?? 'max_tokens']: highLimit };
    return this.#ask({ model: this.#model, stream: true, ...limit, messages, ...more });
  }

  /** Whether it streams, where reasoning stands in a stream, and whether usage must be asked for. */
  async #streams(): Promise<boolean> {
    const messages = [user(questions.hello)];
    let plain = await this.#send(messages);
    if (!plain.ok && /max_completion_tokens/.test(plain.body)) {
      this.#host.tokenLimit = 'max_completion_tokens';
      plain = await this.#send(messages);
    }
    if (!plain.ok) {
      this.#said.push(`It does not stream a reply: ${refusal(plain)}`);
      return false;
    }
    this.#said.push(`It streams${plain.done ? '' : ', and does not end with [DONE]'}; finish_reason ${String(finishOf(plain))}.`);
    this.#noteReasoning(plain);
    const asked = await this.#send(messages, { stream_options: { include_usage: true } });
    const unasked = usageOf(plain) !== null;
    this.#host.asksForUsage = asked.ok && !unasked;
    this.#said.push(
      !asked.ok
        ? `It refuses stream_options: ${refusal(asked)}`
        : `Usage comes ${unasked ? 'unasked' : usageOf(asked) === null ? 'not at all' : 'when asked for'}${placeOf(asked)}.`,
    );
    return true;
  }

  #noteReasoning(answer: Answer): void {
    const deltas = deltasOf(answer);
    const field = ['reasoning_content', 'reasoning', 'reasoning_text'].find((name) =>
      deltas.some((delta) => textIn(delta[name]) !== ''),
    );
    const listed = deltas.some(
      ({ content }) => Array.isArray(content) && content.some((part) => isObject(part) && part.type === 'thinking'),
    );
    this.#reasoning = field ?? (listed ? 'content' : null);
    if (this.#reasoning === null) return;
    this.#host.reasoningFields = [this.#reasoning];
    this.#said.push(`Reasoning comes in ${this.#reasoning === 'content' ? 'the list of content' : this.#reasoning}.`);
  }

  /** Which field bounds a reply: one that is taken and ignored shows by a reply that goes on. */
  async #limit(): Promise<void> {
    for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
      const answer = await this.#ask({ model: this.#model, stream: true, messages: [user(questions.count)], [field]: lowLimit });
      if (answer.ok && finishOf(answer) === 'length') {
        this.#host.tokenLimit = field;
        this.#said.push(`The tokens of a reply are bounded by ${field}.`);
        return;
      }
    }
    this.#said.push('Neither max_tokens nor max_completion_tokens bounds a reply.');
  }

  /** How calls stream. */
  async #calls(): Promise<void> {
    const answer = await this.#send([user(questions.weather)], { tools });
    if (!answer.ok) {
      this.#said.push(`It refuses tools: ${refusal(answer)}`);
      return;
    }
    if (this.#reasoning === null) this.#noteReasoning(answer);
    const fragments = deltasOf(answer).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls.filter(isObject) : []));
    const heads = fragments.filter((part) => isObject(part.function) && textIn(part.function.name) !== '');
    if (heads.length === 0) {
      this.#said.push('It was asked to call a tool, and did not.');
      return;
    }
    if (heads.length > 1) this.#facts.parallelCalls = true;
    const ids = heads.map(({ id }) => textIn(id));
    this.#said.push(
      `${heads.length > 1 ? 'Several calls come in one reply' : 'One call came, where two were asked for'}, ` +
        `${fragments.length > heads.length ? 'in fragments' : 'whole'}; index ${heads.map(({ index }) => String(index)).join(', ')}; ` +
        `ids such as ${JSON.stringify(ids[0])}; finish_reason ${String(finishOf(answer))}.`,
    );
  }

  /** What orders of messages it takes, and which ids. */
  async #history(): Promise<void> {
    const spoken = (id: string, content: string | null): object[] => [
      user('Weather in Paris?'),
      assistant(content, {
        tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
      }),
      { role: 'tool', tool_call_id: id, content: 'rain' },
    ];
    const rule = await this.#idRule((id) => this.#send(spoken(id, ''), { tools }));
    if (rule === null) return;
    this.#host.callIds = rule;
    const id = 'a1B2c3D4e';
    const nothing = await this.#send(spoken(id, null), { tools });
    this.#host.emptyContent = nothing.ok ? null : '';
    if (!nothing.ok) this.#said.push(`It refuses the content null beside calls: ${refusal(nothing)}`);
    const bridged = await this.#send([...spoken(id, ''), user('And in Rome?')], { tools });
    this.#host.bridgesTools = !bridged.ok;
    if (!bridged.ok) this.#said.push(`It refuses a user message behind a result: ${refusal(bridged)}`);
    const twice = await this.#send([user('Hello.'), user(questions.hello)]);
    this.#host.joinsUsers = !twice.ok;
    if (!twice.ok) this.#said.push(`It refuses two user messages in a row: ${refusal(twice)}`);
  }

  /** The widest rule whose ids it takes; a call without its reasoning may be refused too, which some hosts do always. */
  async #idRule(send: (id: string) => Promise<Answer>): Promise<CallIdRule | null> {
    const plain = await send('a1B2c3D4e');
    this.#host.echoesReasoning = this.#reasoning === null ? 'never' : plain.ok ? 'present' : 'always';
    if (!plain.ok) {
      this.#said.push(
        `It refuses calls and results${this.#reasoning === null ? '' : ' without their reasoning'}: ${refusal(plain)}`,
      );
      return null;
    }
    const long = 'call_'.padEnd(64, 'x');
    if ((await send('functions.get_weather:0')).ok)
      return { refused: /[^\x21-\x7e]/, least: 1, most: (await send(long)).ok ? 64 : 40 };
    const dashed = await send('call_a-1');
    this.#said.push(
      dashed.ok ? 'Ids of calls hold letters, digits, _ and -.' : `Ids of calls are nine letters and digits: ${refusal(dashed)}`,
    );
    if (!dashed.ok) return { refused: /[^a-zA-Z0-9]/, least: 9, most: 9 };
    return { refused: /[^a-zA-Z0-9_-]/, least: 1, most: (await send(long)).ok ? 64 : 40 };
  }

  /** Whether a reply can be continued, and by which of the ways. */
  async #continues(): Promise<void> {
    const ways: readonly { readonly how: Continuation; readonly mark: object; readonly more: object }[] = [
      { how: { how: 'last' }, mark: {}, more: {} },
      { how: { how: 'prefix' }, mark: { prefix: true }, more: {} },
      flagged({ continue_final_message: true, add_generation_prompt: false }),
    ];
    for (const { how, mark, more } of ways) {
      const answer = await this.#send([user(edit.asked), assistant(edit.begun, mark)], more);
      const outcome = answer.ok ? continuation(textOf(answer)) : 'refused';
      this.#said.push(`Continuing a reply by ${how.how}: ${outcome === 'refused' ? refusal(answer) : outcomes[outcome]}.`);
      if (outcome === 'refused' || outcome === 'anew') continue;
      this.#host.continuation = how;
      this.#host.repeatsEdit = outcome === 'echoed';
      this.#facts.prefill = how.how === 'last' ? 'implicit' : 'flag';
      return;
    }
    this.#host.continuation = { how: 'none' };
    this.#host.repeatsEdit = false;
    this.#facts.prefill = 'none';
  }

  async #pictures(): Promise<void> {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${redPixel}` } };
    const answer = await this.#send([user([{ type: 'text', text: questions.picture }, image])]);
    this.#facts.images = answer.ok;
    this.#said.push(answer.ok ? 'It takes images.' : `It takes no images: ${refusal(answer)}`);
  }

  async #errors(window: number | null): Promise<void> {
    const unknown = await this.#ask({ model: `${this.#model}-that-nobody-has`, stream: true, messages: [user('Hi')] });
    this.#said.push(
      unknown.ok ? 'It does not look at the name of the model.' : `A model that it does not have: ${refusal(unknown)}`,
    );
    if (window === null) {
      this.#said.push(notAsked);
      return;
    }
    this.#facts.window = window;
    const long = await this.#send([user(longText(window))]);
    this.#said.push(`A prompt that is too long: ${long.ok ? 'it is taken, and shortened without a word' : refusal(long)}`);
  }
}

const outcomes = { continued: 'it goes on', echoed: 'it goes on, and repeats the beginning', anew: 'it begins anew' } as const;

function flagged(flags: { readonly [key: string]: boolean }): {
  readonly how: Continuation;
  readonly mark: object;
  readonly more: object;
} {
  return { how: { how: 'flags', flags }, mark: {}, more: flags };
}

function choicesOf(answer: Answer): readonly JsonObject[] {
  return answer.events.flatMap(({ choices }) => (Array.isArray(choices) ? choices.filter(isObject) : []));
}

function deltasOf(answer: Answer): readonly JsonObject[] {
  return choicesOf(answer).flatMap(({ delta }) => (isObject(delta) ? [delta] : []));
}

function textOf(answer: Answer): string {
  return deltasOf(answer)
    .map(({ content }) => textIn(content))
    .join('');
}

function finishOf(answer: Answer): Json {
  return choicesOf(answer).findLast((choice) => typeof choice.finish_reason === 'string')?.finish_reason ?? null;
}

function usageOf(answer: Answer): JsonObject | null {
  const found = answer.events.findLast(({ usage, x_groq: groq }) => isObject(usage) || (isObject(groq) && isObject(groq.usage)));
  return found ?? null;
}

function placeOf(answer: Answer): string {
  const found = usageOf(answer);
  if (found === null) return '';
  if (!isObject(found.usage)) return ', in x_groq';
  return Array.isArray(found.choices) && found.choices.length > 0 ? ', in a chunk with a choice' : ', in a chunk of its own';
}
