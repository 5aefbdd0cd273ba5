/** What becomes of users who are written without a usable password, and the ways for them. */

/** In the order in which they are shown; the first only where there are such users. */
export const withoutPasswordKinds = ['first-login', 'set-password', 'link', 'locked-out'] as const;
export type WithoutPasswordKind = (typeof withoutPasswordKinds)[number];

export const withoutPasswordMeanings: Readonly<Record<WithoutPasswordKind, string>> = {
  'first-login': 'log in with their old password, if idport jit can check it',
  'set-password': 'will have to set a password',
  link: 'log in with a link and need none',
  'locked-out': 'can do neither: they have no address and no link',
};

/** In this order: what costs users least comes first. */
export const waysWithoutPassword = [
  'keep the identity provider and import the links',
  'check the old password at the first login (idport jit)',
  'change the hasher at the source, weeks before, where it has a switch',
  'a reset email to each',
] as const;

export function withoutPasswordKind(facts: {
  readonly firstLogin: boolean;
  readonly linked: boolean;
  readonly reachable: boolean;
}): WithoutPasswordKind {
  const { firstLogin, linked, reachable } = facts;
  if (firstLogin) return 'first-login';
  if (linked) return 'link';
  return reachable ? 'set-password' : 'locked-out';
}
