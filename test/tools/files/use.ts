import type { JsonObject, Result, Tool } from '../../../src/core/index.ts';
import { TestCall } from '../../../src/testing/index.ts';

/** Calls a tool as a run would: checked first. @throws Error when the input does not fit. */
export async function use(tool: Tool, input: JsonObject, call: TestCall = new TestCall()): Promise<Result> {
  const issues = await tool.check(input);
  if (issues.length > 0) throw new Error(issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return tool.call(input, call);
}

/** What the model reads of a result: its texts, an empty line between them. */
export function read({ content }: Result): string {
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n\n');
}

/** The text of a refused call. @throws Error when it was not refused. */
export function refusalOf(result: Result): string {
  if (!result.error) throw new Error(`It was not refused: ${read(result)}`);
  return read(result);
}
