/** What is known of a request by the error of the network. */
import { expect, it } from 'vitest';
import { failureOf } from '../../src/api/send.ts';

it.each([
  ['EHOSTUNREACH', 'connect', 'connect'],
  ['EHOSTUNREACH', 'read', 'response'],
  ['EADDRNOTAVAIL', 'read', 'response'],
  ['ENETDOWN', 'write', 'response'],
  ['EPROTO', 'write', 'trust'],
  ['EACCES', 'connect', 'connect'],
  ['ETIMEDOUT', 'connect', 'connect'],
  ['EACCES', 'open', undefined],
])('failureOf %s of %s returns the stage %s', (code, syscall, stage) => {
  const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  expect(failureOf(error)?.stage).toBe(stage);
  expect(failureOf(new TypeError('terminated', { cause: error }))?.stage).toBe(stage);
  expect(failureOf(Object.assign(new AggregateError([error]), { code }))?.stage).toBe(stage);
});
