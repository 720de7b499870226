import { defaultOptions, Prompt, type PromptFields, userText } from '../core/index.ts';

/** A Prompt for testing one model or one model middleware alone (TEST-04): the user says `Hello`, and any field may be set. */
export class TestPrompt extends Prompt {
  constructor(fields: Partial<PromptFields> = {}) {
    super({
      system: null,
      messages: [userText('msg_1', 'Hello')],
      tools: [],
      options: defaultOptions,
      cancel: new AbortController().signal,
      continue: false,
      ...fields,
    });
  }
}
