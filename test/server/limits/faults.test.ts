/** Faults on purpose: which requests they hit, and which make no sense. */
import { expect, it } from 'vitest';
import { createFaults, faultSchema, type FaultInput } from '../../../src/server/limits/faults.ts';

function withFaults(...inputs: FaultInput[]) {
  const faults = createFaults();
  for (const input of inputs) faults.add(faultSchema.parse(input));
  return { ...faults, next: (path = '/', method = 'POST') => faults.next(method, path)?.status };
}

it('createFaults applies a fault after and for a number of requests, and counts them', () => {
  const faults = withFaults({ method: 'post', path: '/v2/users', after: 1, times: 2, status: 503 });
  const hits = Array.from({ length: 5 }, () => faults.next('/v2/users'));
  expect(hits).toEqual([undefined, 503, 503, undefined, undefined]);
  expect(faults.list()).toMatchObject([{ id: 1, seen: 5, hit: 2 }]);
});

it.each([
  ['/v2/users/*', '/v2/users/human/deep', 500],
  ['/v2/users/*', '/v2/user', undefined],
  ['*/_import', '/management/v1/users/human/_import', 500],
  ['/a.b', '/axb', undefined],
])('createFaults matches the path %s against %s: %s', (path, request, expected) => {
  expect(withFaults({ path, status: 500 }).next(request, 'GET')).toBe(expected);
});

it('createFaults applies faults in the given order, and removes them', () => {
  const faults = withFaults({ times: 1, status: 500 }, { status: 502 }, { status: 504 });
  expect([faults.next(), faults.next()]).toEqual([500, 502]);
  expect([faults.remove(2), faults.remove(2), faults.next()]).toEqual([true, false, 504]);
  faults.clear();
  expect(faults.next()).toBeUndefined();
});

it.each([
  [{}, 'one of status, reset, half or delay is needed'],
  [{ status: 500, reset: true }, 'only one of'],
  [{ status: 200 }, '>=400'],
  [{ delay: -1 }, '>=0'],
  [{ state: 500 }, 'Unrecognized key'],
  [{ status: 500, headers: { 'a b': 'c' } }, 'headers'],
  [{ status: 500, headers: { a: 'b\nc' } }, 'headers'],
])('createFaults refuses an invalid fault: %j', (input, text) => {
  expect(faultSchema.safeParse(input).error?.message).toContain(text);
});
