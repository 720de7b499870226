import { describe, expect, test } from 'vitest';
import { refusesEdit, responseError } from '../../src/models/errors.ts';
import { leastWait } from '../../src/models/index.ts';

function errorOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  return responseError(
    { status, headers: new Headers(headers), body: typeof body === 'string' ? body : JSON.stringify(body) },
    0,
  );
}

const openai = (message: string, more: object = {}): object => ({ error: { message, type: 'invalid_request_error', ...more } });

describe('the kind of an error', () => {
  test.each<[string, number, unknown]>([
    ['OpenAI, by code', 400, openai('Too much.', { code: 'context_length_exceeded' })],
    [
      'OpenAI, older',
      400,
      openai("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
    ],
    ['OpenAI, newer', 400, openai('Your input exceeds the context window of this model.')],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: 'The prompt is longer than the maximum model length of 4096: 4000 input tokens and 200 requested output tokens.',
        code: 400,
      },
    ],
    ['vLLM, underscored', 400, { error: { message: 'prompt length 9000 exceeds max_model_len 8192' } }],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    ['llama.cpp, without its text', 500, { error: { code: 500, message: '', type: 'exceed_context_size_error' } }],
    ['LM Studio', 400, { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' }],
    [
      'LM Studio, with status 200',
      200,
      { error: 'Trying to keep the first 9000 tokens, but the model is loaded with context length of only 4096 tokens.' },
    ],
    ['Ollama', 400, { error: { message: 'prompt too long; exceeded max context length by 900 tokens' } }],
    ['Ollama, with status 500', 500, { error: { message: 'prompt is too long' } }],
    ['OpenRouter', 400, { error: { code: 400, message: "This endpoint's maximum context length is 32768 tokens." } }],
    [
      'OpenRouter, around another text',
      400,
      { error: { code: 400, message: 'Provider returned error', metadata: { raw: 'prompt is too long: 9 tokens > 8 maximum' } } },
    ],
    ['Groq', 400, openai('Please reduce the length of the messages or completion.')],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
      },
    ],
    [
      'Mistral',
      400,
      { object: 'error', message: 'Prompt contains 9000 tokens, too large for model with 8192 maximum context length' },
    ],
    ['Anthropic behind a gateway', 400, openai('prompt is too long: 210000 tokens > 200000 maximum')],
    [
      'Google behind a gateway',
      400,
      openai('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    ],
    ['Bedrock behind a gateway', 400, openai('Input is too long for requested model.')],
    ['LiteLLM', 400, openai('litellm.ContextWindowExceededError: whatever the upstream said')],
    ['MiniMax', 400, openai('invalid params, context window exceeds limit')],
    ['Kimi', 400, openai('Invalid request: Your request exceeded model token limit: 8192')],
    ['a body above the limit', 413, ''],
  ])('CC-13 CTXW-03 context_too_long: %s', (_, status, body) => {
    expect(errorOf(status, body)).toMatchObject({ kind: 'context_too_long' });
  });

  test.each<[string, number, string]>([
    ['a token rate', 429, 'Rate limit reached: too many tokens, limit 30000 tokens per minute'],
    ['a rate limit whose text names the context', 429, 'You hit the maximum context length of your plan.'],
  ])('CC-13 rate_limited and no overflow: %s', (_, status, message) => {
    expect(errorOf(status, openai(message))).toMatchObject({ kind: 'rate_limited' });
  });

  test.each<[string, number, string]>([
    [
      'the output limit of vLLM, beside the window',
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens.",
    ],
    ['the output limit', 400, 'max_tokens is too large: 9000. This model supports at most 4096 completion tokens.'],
    ['a token rate under another status', 400, 'too many tokens per minute, please slow down'],
    ['a daily quota', 403, 'Daily token quota: token limit exceeded'],
  ])('CC-13 model_error and no overflow: %s', (_, status, message) => {
    expect(errorOf(status, openai(message))).toMatchObject({ kind: 'model_error' });
  });

  test('CC-13 FAIL-13 429 is a rate limit, with the time to wait in whatever form it came', () => {
    expect(errorOf(429, openai('slow down'), { 'retry-after': '7' })).toMatchObject({ kind: 'rate_limited', retryAfter: 7000 });
    expect(errorOf(429, '', { 'retry-after': 'Thu, 01 Jan 1970 00:00:07 GMT' })).toMatchObject({
      kind: 'rate_limited',
      retryAfter: 7000,
    });
    expect(errorOf(429, '', { 'retry-after': 'soon' })).toMatchObject({ kind: 'rate_limited', retryAfter: leastWait });
    expect(errorOf(429, '')).toMatchObject({ kind: 'rate_limited', retryAfter: null });
    expect(errorOf(529, '')).toMatchObject({ kind: 'rate_limited' });
  });

  test.each([400, 401, 403, 404, 422, 500, 503])('CC-13 %i is a model error that says what the server said', (status) => {
    expect(errorOf(status, openai('The model `x` does not exist'))).toMatchObject({
      kind: 'model_error',
      message: `The model's server answered ${status}: The model \`x\` does not exist`,
    });
  });

  test('HTTP-10 a redirect is an error, wherever it leads', () => {
    for (const status of [301, 302, 307, 308, 0]) {
      expect(errorOf(status, '', { location: 'https://elsewhere.example/?key=1' })).toMatchObject({
        kind: 'model_error',
        message: expect.stringMatching(/redirect/),
      });
    }
  });
});

describe('the message of an error', () => {
  test.each<[string, unknown, RegExp]>([
    ['no JSON', '<html>Bad gateway</html>', /502: <html>Bad gateway<\/html>$/],
    ['an empty body', '', /answered 502\.$/],
    ['a JSON text', '"down"', /502: down$/],
    ['a JSON list', '[1]', /answered 502\.$/],
    ['detail of a validator', { detail: [{ loc: ['body', 'n'], msg: 'bad' }] }, /502: \[\{"loc":\["body","n"\],"msg":"bad"\}\]$/],
    ['null in place of an error', { error: null, message: 'down' }, /502: down$/],
  ])('HTTP-07 is made of %s', (_, body, expected) => {
    expect(errorOf(502, body).message).toMatch(expected);
  });

  test('HTTP-07 is bounded, and holds no key and no address', () => {
    const secrets = 'Bearer abc123 at https://user:pw@host.example/v1?key=1 with sk-proj-abcdef123 and gsk_abcdef';
    const { message } = errorOf(401, openai(secrets));
    expect(message).not.toMatch(/abc|host\.example|pw/);
    expect(errorOf(400, openai('x'.repeat(10_000))).message.length).toBeLessThan(600);
  });
});

describe('INTR-21 a refusal to continue', () => {
  test.each([
    'Assistant response prefill is incompatible with enable_thinking.',
    'Cannot have 2 or more assistant messages at the end of the list.',
    'This model does not support assistant message prefill. The conversation must end with a user message.',
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    'Cannot set both `add_generation_prompt` and `continue_final_message`',
  ])('is recognised: %s', (message) => {
    expect(refusesEdit(errorOf(400, openai(message)))).toBe(true);
  });

  test('is no other error', () => {
    expect(refusesEdit(errorOf(400, openai('temperature must be below 2')))).toBe(false);
    expect(refusesEdit(errorOf(429, openai('prefill rate')))).toBe(false);
  });
});
