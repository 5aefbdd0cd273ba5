import { expect, it } from 'vitest';
import type { Note } from '../../../src/records/user.ts';
import { readLinks } from '../../../src/sources/auth0/identities.ts';

it('readLinks drops an id that JSON rounded, with a note, unless the user id holds it', () => {
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
