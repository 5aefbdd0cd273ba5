/** check as it is typed: samples, and what an import would cost. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { exportPath } from '../support/samples.ts';

const realm = fileURLToPath(new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url));
const check = (...flags: string[]): Promise<Ran> =>
  runProgram(
    [
      'check',
      '--from=keycloak',
      `--realm=${realm}`,
      '--allow-emails',
      '--target-profile=all-verifiers',
      ...flags,
    ],
    {
      cwd: createTestFolder(),
    },
  );

test('--sample prints the first users as they would be sent, with their secrets masked', async () => {
  const none = await check();
  expect([none.problem, none.exitCode, none.stdout]).toEqual([undefined, 0, '']);
  const { exitCode, stdout } = await check('--sample=2');
  expect(exitCode).toBe(0);
  const sampleUsers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { user: Record<string, any> });
  expect(sampleUsers).toHaveLength(2);
  const hashes = sampleUsers.flatMap(({ user }) => (user['hashedPassword'] === undefined ? [] : [user]));
  expect(hashes).not.toEqual([]);
  expect(stdout).not.toMatch(/\$(?:pbkdf2|argon2)[^"]*\$[\w+/]{12}/);
});

test('--price-per-request makes a price of the requests of either way', async () => {
  const { events } = await check('--price-per-request=0.5');
  const forecast = events.find((event) => event.type === 'forecast');
  expect(forecast).toBeDefined();
  if (forecast?.type !== 'forecast') return;
  expect(forecast.single.requests).toBeGreaterThan(1);
  for (const { requests, cost } of [forecast.bulk, forecast.single]) expect(cost).toBe(requests * 0.5);
});

test('a body with metadata and grants takes as many requests as the export that it was made of', async () => {
  const cwd = createTestFolder();
  const realms = exportPath('kc-26.7.3-orchard/orchard.json');
  const flags = ['--target-profile=all-verifiers', '--roles=new:p', '--metadata=all'];
  const made = await runProgram(['migrate', 'keycloak', '--org=1', `--realm=${realms}`, ...flags], { cwd });
  const checked = await runProgram(['check', 'importBody.json', '--target-profile=all-verifiers'], { cwd });
  const requests = [made, checked].map(({ events }) => {
    const forecast = events.find((event) => event.type === 'forecast');
    return forecast?.type === 'forecast' ? forecast.single.requests : 0;
  });
  expect(requests).toEqual([1301, 1301]);
});

test.each([
  ['--price-per-request=cheap', /--price-per-request cheap is not an amount/],
  ['--sample=few', /--sample few: it must be a whole number/],
])('%s is refused', async (flag, message) => {
  expect(await check(flag)).toMatchObject({
    exitCode: 2,
    problem: { message: expect.stringMatching(message) },
  });
});

test('an export without users ends a check with 4, and a conversion with 3', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'realm.json'), '{"realm":"r","users":[]}');
  const checked = await runProgram(['check', '--from=keycloak', '--realm=realm.json'], { cwd });
  expect([checked.problem, checked.exitCode]).toEqual([undefined, 4]);
  const migrated = await runProgram(['migrate', 'keycloak', '--org=1', '--realm=realm.json'], { cwd });
  expect([migrated.problem, migrated.exitCode]).toEqual([undefined, 3]);
});
