import { describe, expect, it } from 'vitest';
import type { Note } from '../../../src/records/user.ts';
import { readIdentities, readLinks } from '../../../src/sources/auth0/prepare.ts';

describe('readIdentities', () => {
  it.each([
    ['auth0|5f', { provider: 'auth0', connection: '', userId: '5f' }],
    ['auth0|a|b', { provider: 'auth0', connection: '', userId: 'a|b' }],
    ['google-oauth2|104', { provider: 'google-oauth2', connection: 'google-oauth2', userId: '104' }],
    ['samlp|acme|eli@acme', { provider: 'samlp', connection: 'acme', userId: 'eli@acme' }],
    ['waad|acme|a|b', { provider: 'waad', connection: 'acme', userId: 'a|b' }],
  ])('reads the id %s if the user has no list of identities', (id, expected) => {
    for (const identities of [undefined, null, [], 'none']) {
      expect(readIdentities({ user_id: id, identities })).toEqual([{ ...expected, displayName: '' }]);
    }
  });

  it.each([{}, { user_id: 'plain' }, { user_id: '' }, { user_id: null }])('returns none for %j', (user) => {
    expect(readIdentities(user)).toEqual([]);
  });

  it('takes the connection of a table without guessing the provider', () => {
    expect(readIdentities({ user_id: 'auth0|1', connection: 'db' })).toMatchObject([
      { provider: 'auth0', connection: 'db' },
    ]);
    expect(readIdentities({ connection: 'db' })).toMatchObject([
      { provider: '', connection: 'db', userId: '' },
    ]);
    expect(readIdentities({ user_id: '7', connection: 'github', provider: 'github' })).toMatchObject([
      { provider: 'github', connection: 'github', userId: '7' },
    ]);
  });

  it('accepts numeric ids and strips the connection from ids', () => {
    const listed = [
      { provider: 'facebook', connection: 'facebook', user_id: 77, profileData: { name: 'Ada' } },
      { provider: 'samlp', connection: 'acme', user_id: 'acme|ada', profileData: null },
      null,
      'not an identity',
    ];
    expect(readIdentities({ user_id: 'facebook|77', identities: listed })).toEqual([
      { provider: 'facebook', connection: 'facebook', userId: '77', displayName: 'Ada' },
      { provider: 'samlp', connection: 'acme', userId: 'ada', displayName: '' },
    ]);
  });

  it('drops an id that JSON rounded, with a note, unless the user id holds it', () => {
    const notes: Note[] = [];
    const google = { connection: 'google-oauth2', user_id: 2 ** 67 };
    const user = {
      user_id: 'google-oauth2|147573952589676412928',
      identities: [google, { ...google, provider: 'x' }],
    };
    expect(readLinks(user, notes)).toMatchObject([{ userId: '147573952589676412928' }]);
    const detail = 'google-oauth2: its id is a number that JSON readers round; export it as text';
    expect(notes).toEqual([{ code: 'idp:missing-id', detail }]);
  });
});
