import { toolCallBias } from './successors.ts';
import { tokenId, toolCallOpen } from './vocabulary.ts';

/** A Chat Completions request as it came; nothing about it is checked. */
export type RequestBody = Readonly<Record<string, unknown>>;

/**
 * Makes the model call a tool where a trained one might: adds a logit bias on the opening tag.
 *
 * It does so when tools are offered and the last message is the user's, or a call is required. The
 * bias tips the scale only at the start of an answer, so one call follows and ends the turn by itself.
 */
export function inviteToolCall(body: RequestBody): RequestBody {
  if (!Array.isArray(body.tools) || body.tools.length === 0 || body.tool_choice === 'none') return body;
  const required = body.tool_choice === 'required' || isObject(body.tool_choice);
  if (!required && lastRole(body.messages) !== 'user') return body;
  const ownBias = body.logit_bias ?? {};
  if (!isObject(ownBias)) return body;
  return { ...body, logit_bias: { [tokenId(toolCallOpen)]: toolCallBias, ...ownBias } };
}

function lastRole(messages: unknown): unknown {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isObject(last) ? last.role : undefined;
}

/** Whether a JSON value is an object (and not an array). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
