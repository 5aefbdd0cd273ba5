import { describe, expect, it } from 'vitest';
import {
  createFaults,
  faultSchema,
  type FaultInput,
  type Faults,
} from '../../../src/server/limits/faults.ts';

const withFaults = (...inputs: FaultInput[]): Faults => {
  const faults = createFaults();
  for (const input of inputs) faults.add(faultSchema.parse(input));
  return faults;
};

describe('faults', () => {
  it('hit after some requests, a number of times, and are counted', () => {
    const faults = withFaults({ method: 'post', path: '/admin/v1/import', after: 1, times: 2, status: 503 });
    const hits = Array.from({ length: 5 }, () => faults.next('POST', '/admin/v1/import')?.status);
    expect(hits).toEqual([undefined, 503, 503, undefined, undefined]);
    expect(faults.list()).toMatchObject([{ id: 1, seen: 5, hit: 2 }]);
  });

  it.each([
    ['/v2/users/*', '/v2/users/human', true],
    ['/v2/users/*', '/v2/users/human/deep', true],
    ['/v2/users/*', '/v2/user', false],
    ['*/_import', '/management/v1/users/human/_import', true],
    ['/a.b', '/axb', false],
    ['*', '/', true],
  ])('%s matches %s: %s', (path, request, expected) => {
    expect(withFaults({ path, delay: 5 }).next('GET', request) !== undefined).toBe(expected);
  });

  it('take turns in the order they were given', () => {
    const faults = withFaults({ times: 1, status: 500 }, { times: 1, status: 502 });
    expect([faults.next('GET', '/')?.status, faults.next('GET', '/')?.status]).toEqual([500, 502]);
    expect(faults.next('GET', '/')).toBeUndefined();
  });

  it('can be removed one by one and all at once', () => {
    const faults = withFaults({ status: 500 }, { status: 502 }, { status: 504 });
    expect(faults.remove(1)).toBe(true);
    expect(faults.remove(1)).toBe(false);
    expect(faults.next('GET', '/')?.status).toBe(502);
    faults.clear();
    expect(faults.next('GET', '/')).toBeUndefined();
  });

  it.each([
    [{}, 'one of status, reset, half or delay is needed'],
    [{ status: 500, reset: true }, 'only one of'],
    [{ status: 200 }, '>=400'],
    [{ delay: -1 }, '>=0'],
    [{ state: 500 }, 'Unrecognized key'],
  ])('are refused when they make no sense: %j', (input, text) => {
    expect(faultSchema.safeParse(input).error?.message).toContain(text);
  });
});
