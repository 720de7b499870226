import type { Call } from './call.ts';
import type { ToolCallPart } from './message.ts';
import type { Delta } from './model.ts';
import type { Prompt } from './prompt.ts';
import type { Result } from './result.ts';

/** Calls what lies inside: the next middleware, at last the model. Only once after a delta has gone on (MW-13). */
export type NextModel = (prompt: Prompt) => AsyncIterable<Delta>;

/** Calls what lies inside: the next middleware, at last the tool. */
export type NextTool = (call: ToolCallPart, context: Call) => Promise<Result>;

/** The model seam (MW-02). */
export interface ModelMiddleware {
  stream(prompt: Prompt, next: NextModel): AsyncIterable<Delta>;
}

/** The tool seam (MW-02). */
export interface ToolMiddleware {
  call(call: ToolCallPart, context: Call, next: NextTool): Promise<Result> | Result;
}

/** Either seam or both. Middleware is the only interception there is; a list of them is outermost first (MW-01, MW-03). */
export type Middleware = ModelMiddleware | ToolMiddleware | (ModelMiddleware & ToolMiddleware);
