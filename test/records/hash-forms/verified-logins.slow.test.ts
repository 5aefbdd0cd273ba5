import { describe, expect, it, test } from 'vitest';
import { createHashThreads } from '../../../src/flows/hashing/hash-threads.ts';
import { encodeListedUser, type ListedUser } from '../../../src/flows/jit/user-list.ts';
import { hashes } from '../../../src/flows/jit/verifiers/hashes.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { isRefused, secretsOf, type SourceForm } from '../../../src/records/hash-forms/form.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { startInlineWorker } from '../../support/inline-worker.ts';
import { type VerifiedForm, verifiedForms } from '../../support/samples.ts';
import { decodeRow, nameOfRow } from '../../support/verified-parts.ts';

const rows = [...verifiedForms('hosted'), ...verifiedForms('selfhosted')];
const named = rows.map((row) => [nameOfRow(row), row] as const);
const converted = named.filter(([, { refuse }]) => !refuse);

/** Refused rows with a known password whose form can be checked without a secret of the operator. */
const checkable = named.filter(([, row]) => {
  const decoded = decodeRow(row);
  if (row.password === null || !isRefused(decoded) || decoded.form === undefined) return false;
  return secretsOf(decoded.form).length === 0;
});

/** Without a thread: the tests of threads are elsewhere. */
const verifier = hashes(createHashThreads(1, { secrets: {} }, startInlineWorker), systemClock);
const attempt = { userId: '1', userName: 'a', loginName: 'a', email: '' };

const passwordOf = ({ password }: VerifiedForm) => password ?? '';

describe('a password of the verified rows', () => {
  test.each(converted)('%s: logs in at the target', async (_name, row) => {
    const decoded = decodeRow(row);
    const mcf = 'mcf' in decoded ? decoded.mcf : '';
    expect(await verifyPassword(mcf, passwordOf(row))).toBe(row.expectVerifies ?? true);
  });

  test.each(converted.filter(([, { expectVerifies }]) => expectVerifies === false))(
    '%s: is known to the source, which alters it',
    async (_name, row) => {
      expect(await verifyDecoded(decodeRow(row), passwordOf(row))).toBe(true);
    },
  );

  test.each(checkable)(
    '%s: is refused, and its form in the list of a login-time migration takes it',
    async (_name, row) => {
      const { form } = decodeRow(row) as { form: SourceForm };
      const listed = JSON.parse(encodeListedUser({ id: '1', userName: 'a', form })) as ListedUser;
      const check = (password: string) =>
        verifier.check({ ...attempt, password, listed }, new AbortController().signal);
      expect(await check(passwordOf(row))).toBe('right');
      expect(await check(`not ${passwordOf(row)}`)).toBe('wrong');
    },
  );

  it('cannot be checked in these cases alone', () => {
    const others = named.filter(([, row]) => {
      const decoded = decodeRow(row);
      return isRefused(decoded) && !checkable.some(([, one]) => one === row);
    });
    const known = Object.values(whyNot).flat();
    expect(others.map(([name]) => name).toSorted()).toEqual(known.toSorted());
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
    'moodle 4.3+ with $CFG->passwordpeppers (password + pepper)',
    'devise config.pepper set: bcrypt(password + pepper)',
    'flask-security argon2id(base64(HMAC-SHA512(SECURITY_PASSWORD_SALT, password)))',
  ],
  'the row does not name the salt': ['vbulletin 3/4 md5(md5(password)+salt)'],
  'the row does not name the password, or a chip holds the key': [
    'kanidm TPM_ARGON2ID (the default since 1.1)',
    'unix-shadow yescrypt $y$',
    'authelia $bcrypt-sha256$',
  ],
} as const;
