/** What the engine thread is started with. */
export interface EngineOptions {
  /** A GGUF file. */
  readonly weights: Uint8Array;
  readonly contextTokens: number;
  /** Whether the template opens a think tag when a request's `chat_template_kwargs` do not say. */
  readonly thinking: boolean;
  /** Pause after each token, to give a stream the pace of a larger model. */
  readonly pauseMs: number;
}

/** Messages to the engine thread. `body` is a Chat Completions request as JSON text. */
export type EngineRequest =
  | { readonly kind: 'complete'; readonly id: number; readonly body: string }
  | { readonly kind: 'cancel'; readonly id: number };

/**
 * Messages from the engine thread. Per request: any number of results (JSON text of one chunk, or of the
 * whole completion), at most one error, then exactly one end.
 */
export type EngineReply = { readonly kind: 'ready' } | { readonly kind: 'failed'; readonly reason: string } | RequestReply;

/** The replies that belong to one request. */
export type RequestReply =
  | { readonly kind: 'result'; readonly id: number; readonly json: string }
  | { readonly kind: 'error'; readonly id: number; readonly error: EngineError }
  | { readonly kind: 'end'; readonly id: number };

/** llama.cpp's error object; `code` is the HTTP status. */
export interface EngineError {
  readonly code: number;
  readonly message: string;
  readonly type: string;
  readonly [field: string]: unknown;
}
