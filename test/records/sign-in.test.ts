/** Who can sign in after an import, by route; what the service does was recorded. */
import { expect, it } from 'vitest';
import { placeholderHash } from '../../src/records/placeholder-password.ts';
import {
  countSignIn,
  signInAt,
  signInBy,
  signInKind,
  signInLines,
  type SignInFacts,
  type SigningIn,
} from '../../src/records/sign-in.ts';

const user: SigningIn = {
  state: 'active',
  links: [],
  passwordHash: '$2b$10$x',
  plainPassword: '',
  notes: [],
};
const facts: SignInFacts = { listed: undefined, jit: false, refused: false };
const one = { links: { length: 1 } };
const none = { passwordHash: '' };
const placeholder = { passwordHash: placeholderHash(10) };

it.each<[kind: string, user: Partial<SigningIn>, facts?: Partial<SignInFacts>]>([
  ['password', {}],
  ['password', { passwordHash: '', plainPassword: 'secret' }],
  ['set-password', none],
  ['set-password', { ...none, requestsPasskey: true }, { jit: true }],
  ['locked-out', { ...none, notes: [{ code: 'email:placeholder' }] }],
  ['set-password', { ...none, notes: [{ code: 'password:never' }] }, { jit: true }],
  ['old-system', none, { jit: true }],
  ['old-system', placeholder, { listed: false }],
  ['first-login', placeholder, { listed: true }],
  ['placeholder', placeholder],
  ['first-login', none, { listed: true, jit: true }],
  ['provider', one],
  ['provider', { ...one, ...none }],
  ['several-links', { links: { length: 2 } }],
  ['refused-hash', {}, { refused: true }],
  ['disabled', { ...one, state: 'inactive' }],
  ['disabled', { ...none, state: 'locked' }],
])('signInKind returns %s: %j %j', (kind, given, known) => {
  expect(signInKind({ ...user, ...given }, { ...facts, ...known })).toBe(kind);
});

it.each([
  ['password', 'password', 'init-unverified', 'answer-email'],
  ['set-password', 'set-password', 'init-no-secret', 'answer-email'],
  ['password', 'password', 'none', 'password'],
  ['provider', 'provider', 'verify', 'provider'],
  ['disabled', 'disabled', 'init-unverified', 'disabled'],
] as const)('signInBy of %s: import-users %s; with %s in bulk %s', (signIn, inOneCall, email, inBulk) => {
  const messages = { email, sms: false };
  for (const onlyBulk of [false, true]) {
    const prospects = { signIn, messages, onlyBulk };
    expect(signInBy('import', prospects)).toBe(inBulk);
    expect(signInBy('one-call', prospects)).toBe(onlyBulk ? 'only-bulk' : inOneCall);
  }
});

it.each([
  ['placeholder', false, 'placeholder'],
  ['placeholder', true, 'own-password'],
  ['first-login', false, 'first-login'],
  ['first-login', true, 'own-password'],
  // The password that the target has from the beginning is the placeholder.
  ['old-system', false, 'old-system'],
  ['old-system', true, 'own-password'],
  ['set-password', false, 'not-known'],
  ['set-password', true, 'own-password'],
  // A journal or a profile would say whether the hash was written.
  ['password', false, 'not-known'],
  ['refused-hash', true, 'own-password'],
] as const)('signInAt for %s with a changed password (%s) returns %s', (kind, isChanged, there) => {
  expect(signInAt(kind, { state: 'as expected', password: 'set', isChanged, mayBePlaceholder: true })).toBe(
    there,
  );
});

it('signInLines tells who can sign in and who cannot', () => {
  const counts = countSignIn(
    new Map([
      ['set-password', 226],
      ['password', 18_574],
      ['first-login', 1200],
    ]),
  );
  expect(signInLines(counts).join('; ')).toBe(
    '18,574 of 20,000 can sign in right away with their old password; 1,200 can sign in through idport jit at their first login; 226 have to set a password',
  );
  expect(signInLines(countSignIn(new Map([['disabled', 1]])))[0]).toBe(
    '0 of 1 can sign in right away with their old password',
  );
  expect(countSignIn(new Map())).toEqual([]);
  const ones = countSignIn(
    new Map([
      ['password', 1],
      ['provider', 1],
      ['set-password', 1],
      ['disabled', 1],
    ]),
  );
  expect(signInLines(ones).slice(1)).toEqual([
    '1 signs in with their identity provider: the login pages never ask for a password',
    '1 has to set a password',
    '1 is disabled or locked',
  ]);
});
