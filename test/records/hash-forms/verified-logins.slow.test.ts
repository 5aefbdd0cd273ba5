import { describe, expect, it, test } from 'vitest';
import { createHashThreads } from '../../../src/flows/hashing/hash-threads.ts';
import { encodeListedUser, type ListedUser } from '../../../src/flows/jit/user-list.ts';
import { hashes } from '../../../src/flows/jit/verifiers/hashes.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isRefused, secretsOf, type SourceForm } from '../../../src/records/hash-forms/form.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { startInlineWorker } from '../../support/inline-worker.ts';
import { decodedForms } from '../../support/samples.ts';

const rows = decodedForms();
const converted = rows.filter(({ refuse }) => !refuse);

/** Refused rows with a known password whose form can be checked without a secret of the operator. */
const checkable = rows.filter(({ password, decoded }) => {
  if (password === null || !isRefused(decoded) || decoded.form === undefined) return false;
  return secretsOf(decoded.form).length === 0;
});

/** Without a thread: the tests of threads are elsewhere. */
const verifier = hashes(createHashThreads(1, {}, startInlineWorker), systemClock);
const attempt = { userId: '1', userName: 'a', loginName: 'a', email: '' };

describe('a password of the verified rows', () => {
  test.each(converted)(
    '$title: logs in at the target',
    async ({ password, decoded, expectVerifies = true }) => {
      const mcf = 'mcf' in decoded ? decoded.mcf : '';
      expect(await verifyPassword(mcf, password ?? '')).toBe(expectVerifies);
    },
  );

  test.each(converted.filter(({ expectVerifies }) => expectVerifies === false))(
    '$title: is known to the source, which alters it',
    async ({ password, decoded }) => {
      expect(await verifyDecoded(decoded, password ?? '')).toBe(true);
    },
  );

  test.each(checkable)(
    '$title: is refused, and jit accepts the password by its form',
    async ({ password, decoded }) => {
      const { form } = decoded as { form: SourceForm };
      const listed = JSON.parse(encodeListedUser({ id: '1', userName: 'a', form })) as ListedUser;
      const check = (typed: string) =>
        verifier.check({ ...attempt, password: typed, listed }, new AbortController().signal);
      expect(await check(password ?? '')).toBe('right');
      expect(await check(`not ${password}`)).toBe('wrong');
    },
  );

  it('is uncheckable only in the listed cases', () => {
    const others = rows.filter((row) => isRefused(row.decoded) && !checkable.includes(row));
    const known = Object.values(whyNot).flat();
    expect(others.map(({ title }) => title).toSorted()).toEqual(known.toSorted());
  });
});

const whyNot = {
  'there is no hash: a pointer to a Cognito pool, a password that is unusable': [
    'clerk awscognito',
    'django unusable',
  ],
  'the row does not name the secret that was added': [
    'spring the same, secret UNKNOWN',
    'spring the same, secret UNKNOWN',
    'flask-security argon2id(base64(HMAC-SHA512(SECURITY_PASSWORD_SALT, password)))',
  ],
  'the row does not name the salt': ['vbulletin 3/4 md5(md5(password)+salt)'],
  'the row does not name the password, or a chip holds the key': [
    'kanidm TPM_ARGON2ID (the default since 1.1)',
    'unix-shadow yescrypt $y$',
    'authelia $bcrypt-sha256$',
  ],
};
