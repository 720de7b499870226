import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';

/** One piece of a scripted reply. At a Gate the reply waits until the test opens it. */
export type Piece =
  | { readonly type: 'chunk'; readonly chunk: JsonObject }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly args: string }
  | { readonly type: 'status'; readonly code: number; readonly body: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'hang_up' }
  | Gate;

const delta = (fields: JsonObject): Piece => ({ type: 'chunk', chunk: { choices: [{ index: 0, delta: fields }] } });

/** Text of the reply, in one chunk. */
export const text = (value: string): Piece => delta({ content: value });

/** Reasoning, in the field that llama.cpp and vLLM use. */
export const reasoning = (value: string): Piece => delta({ reasoning_content: value });

/** A tool call; an input that is a string goes out as it is, valid or not. */
export function call(id: string, name: string, input: Json = {}): Piece {
  return { type: 'call', id, name, args: typeof input === 'string' ? input : JSON.stringify(input) };
}

/** Ends the reply for a reason of its own. A script without one ends with `tool_calls` when it called, else with `stop`. */
export const finish = (reason: string): Piece => ({
  type: 'chunk',
  chunk: { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
});

/** The tokens that the provider counted. */
export const usage = (input: number, output: number): Piece => ({
  type: 'chunk',
  chunk: { choices: [], usage: { prompt_tokens: input, completion_tokens: output } },
});

/** An HTTP error in place of a reply; the only piece of its script. */
export const status = (code: number, body: string, headers: Readonly<Record<string, string>> = {}): Piece => ({
  type: 'status',
  code,
  body,
  headers,
});

/** Breaks the connection off. */
export const hangUp: Piece = { type: 'hang_up' };

/** A message of a request. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: Json;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** The body of a request: the fields that tests look at. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A request that came: its body, and the bytes of it. */
export interface RecordedRequest {
  readonly text: string;
  readonly body: ChatRequest;
}

/** A fake of the network to a Chat Completions endpoint: the only fake of these tests. */
export interface FakeChat {
  /** What came so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Scripts the answer to the next request that has none; calls add up. A request without a script fails with HTTP 500. */
  reply(...pieces: readonly Piece[]): void;
  /** Answers every request for which nothing is scripted. */
  otherwise(script: (request: ChatRequest) => readonly Piece[]): void;
  /** Resolves with request `n` (from 1), once it came. */
  request(n: number): Promise<RecordedRequest>;
}

/** The variables that make sessions speak to the fake; tests may set others for the time of a test by `variables`. */
const endpoint = { HARNESS_OPENAI_URL: 'http://model.test/v1', HARNESS_MODEL: 'scripted' };

/**
 * Fakes the network to the model, anew for each test of the file that calls it. `variables` are set beside the endpoint: the Worker's
 * variables reach every object, also one that wakes up again.
 */
export function fakeChat(variables: Readonly<Record<string, string>> = {}): FakeChat {
  let scripts: (readonly Piece[])[] = [];
  let fallback: (request: ChatRequest) => readonly Piece[] = unscripted;
  let requests: RecordedRequest[] = [];
  let waiting: { readonly n: number; readonly resolve: (request: RecordedRequest) => void }[] = [];
  const all = { ...endpoint, ...variables };

  beforeEach(() => {
    scripts = [];
    fallback = unscripted;
    requests = [];
    waiting = [];
    Object.assign(env, all);
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
      const body = String(init?.body);
      const request: RecordedRequest = { text: body, body: JSON.parse(body) as ChatRequest };
      requests.push(request);
      for (const waiter of waiting) if (waiter.n === requests.length) waiter.resolve(request);
      return respond(scripts.shift() ?? fallback(request.body), init?.signal ?? undefined);
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    for (const name of Object.keys(all)) Reflect.deleteProperty(env, name);
  });

  return {
    get requests() {
      return requests;
    },
    reply: (...pieces) => void scripts.push(pieces),
    otherwise: (script) => {
      fallback = script;
    },
    request: (n) => {
      const known = requests[n - 1];
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => {
        waiting.push({ n, resolve });
      });
    },
  };
}

const unscripted = (): readonly Piece[] => [status(500, '{"error":{"message":"The test scripted no answer to this request."}}')];

function respond(pieces: readonly Piece[], signal: AbortSignal | undefined): Response {
  const [first] = pieces;
  if (first !== undefined && !(first instanceof Gate) && first.type === 'status') {
    return new Response(first.body, { status: first.code, headers: { 'content-type': 'application/json', ...first.headers } });
  }
  const bytes = bytesOf(pieces, signal);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function* bytesOf(pieces: readonly Piece[], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const bytes = (chunk: JsonObject): Uint8Array => encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
  let calls = 0;
  let finished = false;
  for (const piece of pieces) {
    if (piece instanceof Gate) {
      // A promise of the test's that never resolves would keep the object from being evicted.
      signal?.addEventListener('abort', () => piece.open());
      await piece.wait(signal);
    } else if (piece.type === 'hang_up') {
      throw new Error('The connection was reset');
    } else if (piece.type === 'chunk') {
      finished ||= JSON.stringify(piece.chunk).includes('"finish_reason"');
      yield bytes(piece.chunk);
    } else if (piece.type === 'call') {
      const { id, name, args } = piece;
      const made = { index: calls, id, type: 'function', function: { name, arguments: args } };
      calls += 1;
      yield bytes({ choices: [{ index: 0, delta: { tool_calls: [made] } }] });
    }
  }
  if (!finished) yield bytes({ choices: [{ index: 0, delta: {}, finish_reason: calls > 0 ? 'tool_calls' : 'stop' }] });
  yield encoder.encode('data: [DONE]\n\n');
}
