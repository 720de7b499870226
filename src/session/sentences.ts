import { AllowanceError, MisuseError, type TurnError } from '../core/index.ts';

const sentences: { readonly [kind: string]: string } = {
  model_error: 'The model did not accept the request or failed while answering.',
  rate_limited: 'The model takes no more requests for now. Try again in a while.',
  context_too_long:
    "The conversation is longer than the model's window. Begin a new one, or choose a model with a larger window.",
  transport_error: 'The connection to the model failed or broke off.',
  middleware_error: 'A part of the harness failed while the turn was played.',
  tool_error: 'A tool is not set up as it should be.',
  tool_retries_exceeded: 'The model called tools wrongly too many times.',
  recovery_exhausted: 'The machine that played this turn was lost again and again before the turn ended.',
  mode_not_configured:
    'The mode that this turn began with is not configured any more. Choose another and send the message again.',
  no_agent_runtime: 'The configuration of the models has changed and cannot be used. The doctor says what is wrong.',
  internal: 'The turn could not be stored and was ended.',
};

/** A failure as clients read it: its class, and a sentence of ours that holds nothing internal (docs/wire.md, `error`). */
export function publicError(error: TurnError, cause: Error | null): TurnError {
  const own = cause instanceof MisuseError || cause instanceof AllowanceError ? cause.message : undefined;
  return { class: error.class, message: own ?? sentences[error.class] ?? 'The turn failed.' };
}

/** Takes out of a text what looks like a key or holds credentials, and bounds it (TOOL-20, C-16). */
export function redact(text: string): string {
  return text
    .replace(/\b(?:sk|pk|key|ghp|gho|xox[a-z])[-_][A-Za-z0-9_-]{8,}/g, '[redacted]')
    .replace(/\b(bearer|authorization|api[-_]?key)(["']?\s*[:=]?\s*)\S{8,}/gi, '$1$2[redacted]')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)\S+/gi, '$1[redacted]')
    .slice(0, 2000);
}
