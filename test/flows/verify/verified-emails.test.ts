/** Verified addresses of users without a password: in bulk they arrive unverified, or are set to verified afterwards. */
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf as bulkBody, human, runImport, faultAt } from '../../support/service.ts';
import { usersAt, type Target } from '../../support/users-run.ts';
import { createWhole, runVerify } from '../../support/verify-run.ts';

type After = 'leave' | 'verified';

const withoutPassword = { hashedPassword: { value: '' } };
const unverified = { email: { email: 'cyn@acme.example', isEmailVerified: false } };

const inBulk = async (target: Target, folder: string, emailAfter: After) => {
  const humanUsers = [human('ada'), human('ben', withoutPassword), human('cyn', unverified)];
  const body = bulkBody(target.org, { humanUsers });
  await runImport(target, folder, body, { emailAfter });
  return body;
};
describe('verified addresses of users without a password, imported in bulk', () => {
  const verifiedAt = (target: Target) =>
    [...usersAt(target).values()].map(({ userName, emailVerified }) => [
      userName.replace('user-', ''),
      emailVerified,
    ]);
  const notice = expect.objectContaining({ type: 'notice', code: 'email:unverified' });

  it('are set to verified with --email-after=verified', async () => {
    const target = createWhole();
    const folder = createTestFolder();
    const body = await inBulk(target, folder, 'verified');
    expect(verifiedAt(target)).toContainEqual(['ben', true]);
    expect(target.events).not.toContainEqual(notice);
    expect((await runVerify(target, body)).counts).toMatchObject({ blocked: 2, differs: 0 });
    const calls = target.requests.filter((request) => request.startsWith('PUT /v2/users/human/'));
    expect(calls).toHaveLength(1);
  });

  it('stay unverified if the service refuses to set them', async () => {
    const target = createWhole({
      fault: faultAt('/v2/users/human/', { status: 400, body: { code: 9, message: 'no', details: [] } }),
    });
    await inBulk(target, createTestFolder(), 'verified');
    expect(verifiedAt(target)).toContainEqual(['ben', false]);
  });
});
