import {
  approval,
  errorResult,
  notRun,
  type Result,
  type ToolCallPart,
  type ToolMiddleware,
  type ToolSpec,
} from '../core/index.ts';
import type { Policy } from './rules/index.ts';

/** What a call's leave depends on. */
export interface GuardInit {
  readonly policy: Policy;
  /** The mode of the turn. */
  readonly mode: string;
  /**
   * Whether this call may be made with these arguments, beside what the policy says of it (PERM-01). Null: everything may. What it throws ends the turn, and the
   * call does not run.
   */
  readonly canCall?: ((call: ToolCallPart, tool: ToolSpec) => CallDecision | Promise<CallDecision>) | null;
}

/** Whether a call may be made; a refusal may say why, in words for the model. */
export type CallDecision = boolean | { readonly allowed: false; readonly reason: string };

/**
 * Decides whether a call runs, in this order (C-14): what the policy denies and what `canCall` refuses gives the model an error result (POL-04, PERM-08), what the
 * policy asks about pauses for one approval (POL-03), the rest runs. A call that was answered is not asked about again, but a deny still holds (POL-07, PERM-12);
 * one that was denied is settled by the run (PAUSE-13). A name that nobody offers passes: it gets the unknown-tool result, and asking about it would help nobody.
 */
export function guard({ policy, mode, canCall = null }: GuardInit): ToolMiddleware {
  return {
    async call(call, context, next) {
      if (context.spec === null) return next(call, context);
      const { effect, why } = policy.judge({ tool: call.name, hints: context.spec.hints, input: call.input, mode });
      if (effect === 'deny') return notRun.denied([why]);
      const decision = canCall === null || (await canCall(call, context.spec));
      if (decision !== true) return refusal(call.name, decision === false ? null : decision.reason);
      if (effect === 'allow' || context.answers() !== null) return next(call, context);
      return context.needsInput([approval(why)]);
    },
  };
}

/** A decision of the host, in a frame that no tool's output has. */
function refusal(tool: string, reason: string | null): Result {
  return errorResult(
    JSON.stringify({ allowed: false, decidedBy: 'host', tool, reason: reason ?? 'This call is not permitted.' }),
  );
}
