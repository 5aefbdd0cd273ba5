/** Verified addresses of users without a password: in bulk they arrive unverified, or are set to verified afterwards. */
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { runImport, faultAt } from '../../support/service.ts';
import { bodyOf, createTarget, fieldAt, sampleUser, type Target } from '../../support/users-run.ts';
import { codesOf } from '../../support/workspace.ts';
import { runVerify } from '../../support/verify-run.ts';

const withoutPassword = { hashedPassword: { value: '' } };
const unverified = { email: { email: 'cyn@acme.example', isEmailVerified: false } };

const inBulk = async (target: Target) => {
  const initial = sampleUser('dan', unverified, { state: 'USER_STATE_INITIAL' });
  const users = ['ada', sampleUser('ben', withoutPassword), sampleUser('cyn', unverified), initial];
  const body = bodyOf(target.org, users);
  await runImport(target, createTestFolder(), body, { emailAfter: 'verified' });
  return body;
};

it('verified addresses of users without a password, imported in bulk, are set to verified with --email-after=verified', async () => {
  const target = createTarget();
  const body = await inBulk(target);
  expect(fieldAt(target, 'emailVerified')).toMatchObject({ ben: true });
  expect(codesOf(target)).not.toContain('email:unverified');
  expect((await runVerify(target, body)).counts).toMatchObject({ blocked: 2, same: 2, differs: 0 });
  const calls = target.requests.filter((request) => request.startsWith('PUT /v2/users/human/'));
  expect(calls).toHaveLength(1);
});

it('verified addresses of users without a password, imported in bulk, stay unverified if the service refuses to set them', async () => {
  const target = createTarget({
    fault: faultAt('/v2/users/human/', { status: 400, body: { code: 9, message: 'no', details: [] } }),
  });
  await inBulk(target);
  expect(fieldAt(target, 'emailVerified')).toMatchObject({ ben: false });
});
