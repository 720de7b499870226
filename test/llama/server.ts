import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startEngine, type EngineClient } from './engine-client.ts';
import type { EngineError, RequestReply } from './messages.ts';
import { inviteToolCall, isObject, type RequestBody } from './tool-call-invitation.ts';

/** How the test model server is started. */
export interface LlamaServerOptions {
  /** A GGUF file, such as `makeWeights()` gives. */
  readonly weights: Uint8Array;
  /** Context window in tokens; 4096 by default. A token is about one character of a prompt. */
  readonly contextTokens?: number;
  /** Whether to reason when a request's `chat_template_kwargs.enable_thinking` does not say; false by default. */
  readonly thinking?: boolean;
  /** Pause after each token in milliseconds; 0 by default. */
  readonly pauseMs?: number;
  /** Whether a request with tools is nudged into calling one (see `inviteToolCall`); true by default. */
  readonly inviteToolCalls?: boolean;
  /** Fields put under every request that does not have them, such as `{ temperature: 0 }`. */
  readonly requestDefaults?: RequestBody;
}

/** A running server. */
export interface LlamaServer {
  /** Its origin, without a path; the API is at `${url}/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts llama.cpp's own Chat Completions server, compiled to WASM, on a free port of 127.0.0.1.
 *
 * JSON from the engine is passed through unchanged. Requests run one at a time, in order; a client that
 * disconnects cancels its request; an exception in the engine is a 500 and the server lives on.
 */
export async function startLlamaServer(options: LlamaServerOptions): Promise<LlamaServer> {
  const engine = await startEngine({
    weights: options.weights,
    contextTokens: options.contextTokens ?? 4096,
    thinking: options.thinking ?? false,
    pauseMs: options.pauseMs ?? 0,
  });
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      return sendError(response, { code: 404, message: 'File Not Found', type: 'not_found_error' });
    }
    readText(request).then(
      (text) => answer(engine, text, options, response),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await engine.stop();
      await closed;
    },
  };
}

function answer(engine: EngineClient, text: string, options: LlamaServerOptions, response: ServerResponse): void {
  const parsed = parseObject(text);
  const body = parsed && prepare(parsed, options);
  const relay = body?.stream === true ? relayStream : relayWhole;
  const cancel = engine.complete(body === undefined ? text : JSON.stringify(body), (reply) => relay(reply, response));
  response.on('close', () => {
    if (!response.writableFinished) cancel();
  });
}

function prepare(body: RequestBody, options: LlamaServerOptions): RequestBody {
  const filled = { ...options.requestDefaults, ...body };
  return options.inviteToolCalls === false ? filled : inviteToolCall(filled);
}

function relayStream(reply: RequestReply, response: ServerResponse): void {
  if (reply.kind === 'error' && !response.headersSent) return sendError(response, reply.error);
  if (response.writableEnded) return;
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (reply.kind === 'result') response.write(`data: ${reply.json}\n\n`);
  if (reply.kind === 'error') response.end(`data: ${JSON.stringify({ error: reply.error })}\n\n`);
  if (reply.kind === 'end') response.end('data: [DONE]\n\n');
}

function relayWhole(reply: RequestReply, response: ServerResponse): void {
  if (response.headersSent) return;
  if (reply.kind === 'error') sendError(response, reply.error);
  if (reply.kind === 'result') sendJson(response, 200, reply.json);
  if (reply.kind === 'end') sendError(response, { code: 500, message: 'no result', type: 'server_error' });
}

function sendError(response: ServerResponse, error: EngineError): void {
  sendJson(response, error.code, JSON.stringify({ error }));
}

function sendJson(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(json);
}

/** The body as an object, or nothing: what is no JSON object goes to the engine as it is, which refuses it. */
function parseObject(text: string): RequestBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
