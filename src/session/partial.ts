import type { Message, StepView } from '../core/index.ts';

/** The reply as a screen shows it, without the calls whose arguments are not whole (INTR-02). */
export function keptReply(step: StepView): Message {
  const whole = new Set(step.calls.filter((call) => call.input !== null).map((call) => call.id));
  const content = step.content.filter((part) => part.type !== 'tool_call' || whole.has(part.id));
  return { id: step.id, role: 'assistant', content };
}
