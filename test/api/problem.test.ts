/** What is read of an error body. */
import { expect, it } from 'vitest';
import { readProblem } from '../../src/api/problem.ts';

it('readProblem masks secrets and shortens long text', () => {
  const text = JSON.stringify({
    message: `bad value "$2a$10$abcdefghijklmnopqrstuvwxyz" ${'x'.repeat(5000)}`,
  });
  const { message } = readProblem({ status: 400, headers: {}, text });
  expect(message).not.toContain('abcdefgh');
  expect(message.length).toBeLessThan(2100);
});
