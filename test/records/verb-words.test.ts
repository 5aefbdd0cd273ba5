import { expect, it } from 'vitest';
import { wordsOf } from '../../src/records/verb-words.ts';

it('a check has written nobody, and an import is past the mails', () => {
  expect(wordsOf('migrate keycloak')).toEqual({
    taken: 'written',
    mails: 'Mails that the import would send',
  });
  expect(wordsOf('check').taken).toBe('pass');
  expect(wordsOf('import-users')).toEqual({ taken: 'imported', mails: 'Mails that go out for it' });
});
