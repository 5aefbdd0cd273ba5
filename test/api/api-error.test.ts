import { expect, it } from 'vitest';
import { ApiError } from '../../src/api/api-error.ts';
import { aRequest } from '../support/script.ts';

const request = aRequest({ url: 'https://id.example/admin/v1/import', method: 'POST' });

it.each([
  [502, '', 'Bad Gateway'],
  [503, '{}', 'Service Unavailable'],
  [504, '<html><body></body></html>', 'Gateway Timeout'],
  [522, '', 'an answer without a word'],
  [500, '{"code":2,"message":"context deadline exceeded ()"}', 'context deadline exceeded'],
  [500, '{"code":2,"message":" ()"}', 'Internal Server Error'],
])('an answer of %i with %j as its body is told with words: %s', (status, text, words) => {
  const error = new ApiError(request, { status, headers: {}, text });
  expect(error.text).toBe(words);
  expect(error.message).toBe(`POST https://id.example/admin/v1/import: ${status} ${words}`);
});
