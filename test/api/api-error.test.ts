import { expect, it } from 'vitest';
import { ApiError } from '../../src/api/api-error.ts';
import { aRequest } from '../support/script.ts';

const request = aRequest({ url: 'https://id.example/admin/v1/import', method: 'POST' });

it.each([
  [502, '', 'Bad Gateway'],
  [503, '{}', 'Service Unavailable'],
  [504, '<html><body></body></html>', 'Gateway Timeout'],
  [522, '', 'a response without a message'],
  [500, '{"code":2,"message":"context deadline exceeded ()"}', 'context deadline exceeded'],
  [500, '{"code":2,"message":" ()"}', 'Internal Server Error'],
])('ApiError for %i with the body %j has the message: %s', (status, text, words) => {
  const error = new ApiError(request, { status, headers: {}, text });
  expect(error.text).toBe(words);
  expect(error.message).toBe(`POST https://id.example/admin/v1/import: ${status} ${words}`);
});

it('ApiError names the status once if a page title begins with it', () => {
  const text = '<html><head><title>504 Gateway Time-out</title></head></html>';
  const { message } = new ApiError(request, { status: 504, headers: {}, text });
  expect(message).toBe('POST https://id.example/admin/v1/import: 504 Gateway Time-out');
});
