import { expect, it, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { convertFiles } from '../support/conversion.ts';
import { openFolder } from '../support/workspace.ts';

test.each([...builtInProfiles])('profile show %s prints the complete profile', async (name, profile) => {
  const { stdout } = await openFolder().run(`profile show ${name}`);
  expect(JSON.parse(stdout)).toEqual(profile);
});

it('profile show completes a partial profile file', async () => {
  const files = { 'mine.json': { passwordHasher: { verifiers: ['pbkdf2'] } } };
  const { stdout } = await convertFiles(['profile', 'show', 'mine.json'], files);
  const selfHosted = builtInProfiles.get('self-hosted');
  expect(JSON.parse(stdout)).toEqual({
    ...selfHosted,
    name: 'mine.json',
    passwordHasher: { ...selfHosted?.passwordHasher, verifiers: ['pbkdf2'] },
  });
});

it('profile show lists the known names if the name is unknown', async () => {
  expect(await openFolder().run('profile show cloud')).toMatchObject({
    exitCode: 2,
    problem: { hint: expect.stringContaining('hosted, self-hosted') },
  });
});
