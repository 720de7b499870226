import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gate } from '../../src/testing/index.ts';

/** Tokens as Chat Completions counts them. */
export interface FakeUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

/** One piece of a scripted reply. At a Gate the reply waits until the test opens it; a client that goes away ends it there. */
export type Piece =
  | { readonly type: 'chunk'; readonly delta: object }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly fragments: readonly string[] }
  | { readonly type: 'finish'; readonly reason: string; readonly usage: FakeUsage }
  | { readonly type: 'raw'; readonly bytes: string }
  | { readonly type: 'hang_up' }
  | {
      readonly type: 'status';
      readonly code: number;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | Gate;

/** Text of the reply, in one chunk. */
export const text = (value: string): Piece => ({ type: 'chunk', delta: { content: value } });

/** Text of the reply, one chunk a word. */
export const words = (value: string): Piece[] => (value.match(/\s*\S+(\s+$)?/g) ?? []).map(text);

/** Reasoning, in the field that llama.cpp and vLLM use. */
export const reasoning = (value: string): Piece => ({ type: 'chunk', delta: { reasoning_content: value } });

/** A tool call, its arguments in fragments of `size` characters; an input that is a string goes out as it is, valid or not. */
export function call(id: string, name: string, input: unknown = {}, size = 7): Piece {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return { type: 'call', id, name, fragments: json.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [] };
}

/** Ends the reply. A script without an end gets one: `tool_calls` when it called, else `stop`. */
export function finish(reason: string, usage: FakeUsage = { prompt_tokens: 10, completion_tokens: 5 }): Piece {
  return { type: 'finish', reason, usage };
}

/** Bytes as they are: keepalive comments, broken lines. */
export const raw = (bytes: string): Piece => ({ type: 'raw', bytes });

/** Breaks the connection off. */
export const hangUp: Piece = { type: 'hang_up' };

/** An HTTP error in place of a reply; the only piece of its script. */
export function status(code: number, message: string, headers: Readonly<Record<string, string>> = {}): Piece {
  return { type: 'status', code, message, headers };
}

/** A message of a request. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly [key: string]: unknown;
}

/** The body of a request: the fields that tests look at, and whatever else came. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly [key: string]: unknown;
}

/** A request that came, and how its answer went. */
export interface RecordedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The body as it was sent, to compare the bytes of one request with those of the next. */
  readonly text: string;
  readonly body: ChatRequest;
  /** Resolves when the answer is over: `sent` in full, or `dropped` because the client went away. */
  readonly closed: Promise<'sent' | 'dropped'>;
}

/** What to answer: pieces, or a function of the request that gives them. */
export type Script = readonly Piece[] | ((request: ChatRequest) => readonly Piece[]);

/** A running fake of a Chat Completions endpoint. */
export interface FakeOpenAI {
  /** The base URL, ending in the version path: the value for HARNESS_OPENAI_URL. */
  readonly url: string;
  /** What came so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Scripts the answer to the next request that has none; calls add up. */
  reply(...pieces: readonly (Piece | readonly Piece[])[]): void;
  /** Answers every request for which nothing is scripted. */
  otherwise(script: Script): void;
  /** Resolves with request `n` (from 1), once it came. */
  request(n: number): Promise<RecordedRequest>;
  /** Stops the server; connections that are open break off. */
  close(): Promise<void>;
}

/**
 * Starts a server on 127.0.0.1 that speaks Chat Completions as a test scripts it. A request that is not scripted gets HTTP
 * 500, so that one nobody expected is seen.
 */
export async function startFakeOpenAI(): Promise<FakeOpenAI> {
  const scripts: Script[] = [];
  const requests: RecordedRequest[] = [];
  const waiting: { readonly n: number; readonly resolve: (request: RecordedRequest) => void }[] = [];
  let fallback: Script = [status(500, 'The test scripted no answer to this request.')];

  // A connection that the server closes while a request is on its way to it would fail that request.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    void (async () => {
      if (incoming.method === 'GET' && incoming.url === '/v1/models') return json(response, 200, { object: 'list', data: [] });
      if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions')
        return json(response, 404, { error: { message: 'Not found' } });
      const sent: Uint8Array[] = [];
      for await (const bytes of incoming) sent.push(bytes as Uint8Array);
      const body = JSON.parse(Buffer.concat(sent).toString()) as ChatRequest;
      const closed = new Promise<'sent' | 'dropped'>((resolve) =>
        response.once('close', () => resolve(response.writableFinished ? 'sent' : 'dropped')),
      );
      const request = { headers: incoming.headers, text: Buffer.concat(sent).toString(), body, closed };
      requests.push(request);
      for (const waiter of waiting) if (waiter.n === requests.length) waiter.resolve(request);
      const script = scripts.shift() ?? fallback;
      await play(typeof script === 'function' ? script(body) : script, body, response, `chatcmpl-${requests.length}`);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply(...pieces) {
      scripts.push(pieces.flat());
    },
    otherwise(script) {
      fallback = script;
    },
    request: (n) => {
      const present = requests[n - 1];
      return present === undefined ? new Promise((resolve) => void waiting.push({ n, resolve })) : Promise.resolve(present);
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function json(response: ServerResponse, code: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function play(pieces: readonly Piece[], request: ChatRequest, response: ServerResponse, id: string): Promise<void> {
  const [first] = pieces;
  if (first !== undefined && !(first instanceof Gate) && first.type === 'status') {
    return json(response, first.code, { error: { message: first.message, type: 'fake', code: null } }, first.headers);
  }
  if (request.stream !== true)
    return json(response, 400, { error: { message: 'This server only streams: send "stream": true.' } });

  const send = (fields: object): void => {
    const frame = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model: request.model, ...fields };
    response.write(`data: ${JSON.stringify(frame)}\n\n`);
  };
  const choice = (delta: object, reason: string | null = null): void =>
    send({ choices: [{ index: 0, delta, finish_reason: reason }] });

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  choice({ role: 'assistant', content: '' });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let calls = 0;
  for (const piece of ended(pieces)) {
    if (piece instanceof Gate) {
      await piece.wait(gone.signal);
      continue;
    }
    switch (piece.type) {
      case 'chunk':
        choice(piece.delta);
        break;
      case 'call':
        choice({ tool_calls: [{ index: calls, id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } }] });
        for (const fragment of piece.fragments) choice({ tool_calls: [{ index: calls, function: { arguments: fragment } }] });
        calls += 1;
        break;
      case 'finish':
        choice({}, piece.reason);
        if (request.stream_options?.include_usage === true) send({ choices: [], usage: withTotal(piece.usage) });
        response.end('data: [DONE]\n\n');
        return;
      case 'raw':
        response.write(piece.bytes);
        break;
      case 'hang_up':
        response.destroy();
        return;
      case 'status':
        throw new Error('An HTTP status must be the only piece of a script.');
    }
  }
}

function ended(pieces: readonly Piece[]): readonly Piece[] {
  const has = (type: string): boolean => pieces.some((piece) => !(piece instanceof Gate) && piece.type === type);
  return has('finish') || has('hang_up') ? pieces : [...pieces, finish(has('call') ? 'tool_calls' : 'stop')];
}

function withTotal(usage: FakeUsage): FakeUsage & { readonly total_tokens: number } {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}
