/** One user as each call takes one: named after an id, with what no call goes without. */

/** Cost 10, and of no password. */
export const someHash = `$2a$10$${'x'.repeat(53)}`;

/** As version 1 and the bulk import take one. */
export const userV1 = (name: string, more: object = {}) => ({
  userName: name,
  profile: { firstName: 'Ada', lastName: name },
  email: { email: `${name}@acme.example`, isEmailVerified: true },
  ...more,
});

/** As version 2 takes one. */
export const userV2 = (name: string, more: object = {}) => ({
  userId: name,
  username: name,
  profile: { givenName: 'Ada', familyName: name },
  email: { email: `${name}@acme.example`, isVerified: true },
  ...more,
});

/** An entry of a bulk import, with a hash. */
export const importedUser = (id: string, user: object = {}, entry: object = {}) => ({
  userId: id,
  user: userV1(id, { hashedPassword: { value: someHash }, ...user }),
  ...entry,
});
