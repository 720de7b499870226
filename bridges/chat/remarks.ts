import type { EndedRun } from '../../src/session/protocol/index.ts';

/** What a reader must know beside the text of a turn that is over: above all that a reply is not complete (FIN-04). */
export function remarksOn({ reason, finish, error, queued }: EndedRun): readonly string[] {
  const remarks: string[] = [];
  if (reason === 'failed') remarks.push(`Failed: ${error?.message ?? 'for a reason that is not known.'}`);
  if (reason === 'stopped') remarks.push('Stopped at the step limit.');
  if (reason === 'cancelled') remarks.push('Cancelled: the step that ran does not count.');
  if (reason === 'interrupted') remarks.push('Interrupted: the reply so far is kept, to be edited and resumed from the page.');
  if (finish === 'length') remarks.push('The reply is cut off at the token limit: HARNESS_MAX_OUTPUT_TOKENS raises it.');
  if (finish === 'refusal') remarks.push('The model refused.');
  if (queued.length > 0) remarks.push(`Not delivered, and kept in the inbox: ${queued.length}.`);
  return remarks;
}
