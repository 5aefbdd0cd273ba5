import { describe, expect, it } from 'vitest';
import { encodeRejected, rejectedKey } from '../../src/records/rejects.ts';
import type { Rejected } from '../../src/records/user.ts';

const rejected: Rejected = {
  kind: 'rejected',
  userName: 'mia',
  email: '',
  origin: { input: 'realm.json', index: 7, id: '' },
  code: 'user-skipped:no-email',
  detail: 'no address',
};
const reason = { code: 'user-skipped:no-email', detail: 'no address', input: 'realm.json', index: 7 };

describe('the line of a rejected record', () => {
  it('is the record itself with one key more', () => {
    const line = encodeRejected(rejected, { username: 'mia\nwolf', credentials: [{ type: 'password' }] });
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toEqual({
      [rejectedKey]: reason,
      username: 'mia\nwolf',
      credentials: [{ type: 'password' }],
    });
  });

  it('replaces the reason of a previous run', () => {
    const line = encodeRejected(rejected, { [rejectedKey]: { code: 'old' }, username: 'mia' });
    expect(JSON.parse(line)).toEqual({ [rejectedKey]: reason, username: 'mia' });
  });

  it.each([[null], [5], ['text'], [[1, 2]]])('wraps %j, which cannot carry a key', (raw) => {
    expect(JSON.parse(encodeRejected(rejected, raw))).toEqual({ [rejectedKey]: { ...reason, raw } });
  });

  it('keeps a key named __proto__ as a key', () => {
    const raw: unknown = JSON.parse('{"__proto__":{"x":1},"username":"mia"}');
    expect(encodeRejected(rejected, raw)).toContain('"__proto__":{"x":1}');
  });
});
