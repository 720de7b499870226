import {
  APICallError,
  InvalidArgumentError,
  JSONParseError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { Cancelled, MisuseError, ModelError } from '../../../src/core/index.ts';
import { providerError } from '../../../src/models/ai-sdk/errors.ts';

const api = (fields: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
  new APICallError({ message: 'Bad', url: 'https://lab.test/v1', requestBodyValues: { secret: 1 }, ...fields });

/** Names no address, whatever the runtime's error holds. */
const unreachable = "The model's server could not be reached, or broke off the connection.";

describe('what a package throws', () => {
  test.each([
    [
      'a status and a body',
      api({ statusCode: 429, responseHeaders: { 'retry-after-ms': '1500' }, responseBody: '{"error":{"message":"Slow"}}' }),
      { kind: 'rate_limited', retryAfter: 1500, message: "The model's server answered 429: Slow" },
    ],
    ['a status alone', api({ statusCode: 500 }), { kind: 'model_error', message: "The model's server answered 500: Bad" }],
    [
      'an overflow by its code',
      api({ statusCode: 400, responseBody: '{"error":{"code":"context_length_exceeded","message":"no"}}' }),
      { kind: 'context_too_long' },
    ],
    ['a redirect', api({ statusCode: 302 }), { kind: 'model_error', message: expect.stringContaining('redirect') }],
    [
      'no status',
      api({ message: 'Cannot connect to API: connect ECONNREFUSED 10.0.0.1:443' }),
      { kind: 'transport_error', message: unreachable },
    ],
    [
      'a stream that broke under status 200',
      api({ statusCode: 200, message: 'Failed to process successful response' }),
      { kind: 'transport_error' },
    ],
    ['an event that is no JSON', new JSONParseError({ text: '{', cause: new Error('x') }), { kind: 'transport_error' }],
    [
      'an event of another shape',
      new TypeValidationError({ value: { private: 'words' }, cause: new Error('x') }),
      { kind: 'model_error', message: "The model's server sent what its provider package cannot read." },
    ],
    ['the network of workerd', new Error('Network connection lost.'), { kind: 'transport_error' }],
    [
      'anything else',
      new TypeError('x is undefined'),
      { kind: 'model_error', message: 'The model reported an error: x is undefined' },
    ],
  ])('FAIL-14 %s', (_, thrown, expected) => {
    expect(providerError(thrown, 0)).toBeInstanceOf(ModelError);
    expect(providerError(thrown, 0)).toMatchObject(expected);
  });

  test('MODEL-06 what a model cannot do, and options that a package refuses, are misuse', () => {
    const unsupported = new UnsupportedFunctionalityError({ functionality: 'text file parts' });
    expect(providerError(unsupported, 0)).toMatchObject({
      code: 'unsupported_option',
      message: 'This model does not support text file parts.',
    });
    const invalid = new InvalidArgumentError({ argument: 'providerOptions', message: 'invalid lab provider options' });
    expect(providerError(invalid, 0)).toMatchObject({ code: 'option_invalid', message: expect.stringContaining('invalid lab') });
  });

  test('our own errors pass', () => {
    for (const error of [new ModelError('rate_limited', 'x'), new MisuseError('x', 'y'), new Cancelled()]) {
      expect(providerError(error, 0)).toBe(error);
    }
  });
});

describe('what a stream reports', () => {
  test.each([
    ['a text', 'Overloaded', { kind: 'model_error', message: 'The model reported an error: Overloaded' }],
    ['nothing', undefined, { kind: 'model_error' }],
    ['a status', { message: 'Slow', statusCode: 429 }, { kind: 'rate_limited' }],
    ['a code', { message: 'Slow', code: 'rate_limit_exceeded' }, { kind: 'rate_limited' }],
    ['a type', { message: 'Overloaded', type: 'overloaded_error' }, { kind: 'rate_limited' }],
    ['an overflow', { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, { kind: 'context_too_long' }],
  ])('FAIL-14 %s', (_, reported, expected) => {
    expect(providerError(reported, 0)).toMatchObject(expected);
  });
});
