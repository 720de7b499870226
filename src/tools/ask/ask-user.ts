import * as z from 'zod';
import { errorResult, question, textResult, type Tool, tool } from '../../core/index.ts';

const needId = 'answer';
/** Marks that the question was put: an answer to something else, such as an approval by a middleware, has no such state. */
const asked = { asked: true };

/**
 * The tool `ask_user {question, choices?}`: pauses the turn with one Question, `answer`. It asks with a state, so it is made
 * again whatever the answer is (PAUSE-12): a value becomes the result, a declined question an error result with the reason.
 * Read-only: to ask needs no approval.
 */
export function askUserTool(): Tool {
  return tool({
    name: 'ask_user',
    description:
      'Asks the user one question and waits for the answer, however long it takes. Give choices when only these answers make sense: the user then picks one of them and cannot type another. ' +
      'Ask only for what you need and cannot find out yourself; the user may decline.',
    input: z.strictObject({
      question: z.string().trim().min(1).max(2000).describe('One question, in plain words.'),
      choices: z
        .array(z.string().trim().min(1).max(200))
        .min(2)
        .max(20)
        .refine((choices) => new Set(choices).size === choices.length, 'must differ from each other')
        .optional()
        .describe('The answers to pick from. Leave out for a free answer.'),
    }),
    hints: { readOnly: true },
    call(input, call) {
      if (call.state() === null) return call.needsInput([question(needId, input.question, input.choices ?? null)], asked);
      const answers = call.answers();
      const value = answers?.values[needId];
      if (value === undefined) {
        const reason = answers?.decisions[needId]?.reason ?? null;
        return errorResult(reason === null ? 'The user declined to answer.' : `The user declined to answer: ${reason}`);
      }
      return textResult(typeof value === 'string' ? value : JSON.stringify(value), { value });
    },
  });
}
