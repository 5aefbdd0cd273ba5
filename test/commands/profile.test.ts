import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

it('profile list names every profile, and what sets it apart', async () => {
  const { stdout, exitCode } = await runProgram(['profile', 'list'], { cwd: createTestFolder() });
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /^hosted +verifies bcrypt, drupal7, .*; 5,000 users per request; 50 requests per second$/,
    ),
    expect.stringMatching(/^self-hosted +verifies bcrypt; no limit of users per request; no rate limit$/),
    expect.stringMatching(/^all-verifiers +verifies bcrypt, argon2, .*; no rate limit$/),
  ]);
});

test.each([...builtInProfiles])('profile show %s prints it complete', async (name, profile) => {
  const { stdout } = await runProgram(['profile', 'show', name], { cwd: createTestFolder() });
  expect(JSON.parse(stdout)).toEqual(profile);
});

it('profile show completes a file that names only what differs', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'mine.json'), '{"passwordHasher":{"verifiers":["pbkdf2"]}}');
  const { stdout } = await runProgram(['profile', 'show', 'mine.json'], { cwd });
  const selfHosted = builtInProfiles.get('self-hosted');
  expect(JSON.parse(stdout)).toEqual({
    ...selfHosted,
    name: 'mine.json',
    passwordHasher: { ...selfHosted?.passwordHasher, verifiers: ['pbkdf2'] },
  });
});

it('profile show says which names there are', async () => {
  const ran = await runProgram(['profile', 'show', 'cloud'], { cwd: createTestFolder() });
  expect(ran).toMatchObject({
    exitCode: 2,
    problem: { hint: expect.stringContaining('hosted, self-hosted') },
  });
});
