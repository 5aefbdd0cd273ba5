/** The runbook, command by command, against the reference server: what it says must stand on the screen stands there. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { createTestFolder } from '../support/folder.ts';
import { notShown, screenOf, stepsOf } from '../support/page.ts';
import { type Ran, runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/runbook.md`, 'utf8');
const inBulk = /^## In bulk[^]*?(?=^## )/m.exec(page)?.[0] ?? '';
const oneByOne = page.replace(inBulk, '');

/** A folder with the files that the page names, a server, and a way to type a command there. */
async function atTheKeyboard(): Promise<(argv: readonly string[]) => Promise<Ran>> {
  const org = '165617389845094785';
  const server = createReferenceServer({ orgId: org, profile: 'hosted', rate: null });
  const listening = await server.listen({ port: 0 });
  onTestFinished(() => listening.close());
  const { url } = listening;
  const cwd = createTestFolder();
  const put = (name: string, text: string): void => writeFileSync(join(cwd, name), text, { mode: 0o600 });
  cpSync(`${root}fixtures/keycloak/directory`, join(cwd, 'export'), { recursive: true });
  cpSync(join(cwd, 'export'), join(cwd, 'export-2'), { recursive: true });
  changeExport(join(cwd, 'export-2'));
  put('key.json', JSON.stringify(await server.createKey()));
  put('target.json', '{"base": "hosted"}');
  put('logins.csv', 'person-03,directory-3\n');
  const env = { IDPORT_URL: url, IDPORT_KEY_FILE: 'key.json' };
  return async (argv) => {
    const words = argv.map((word) => word.replace('$IDPORT_URL', url).replace('$ORG', org));
    return runProgram(words, { cwd, env, stdin: 'directory-3' });
  };
}

/** One user is new, one has another name, one is gone. */
function changeExport(folder: string): void {
  const change = (file: string, alter: (users: Record<string, unknown>[]) => unknown): void => {
    const path = join(folder, `harbour-users-${file}.json`);
    const content = JSON.parse(readFileSync(path, 'utf8')) as { users: Record<string, unknown>[] };
    writeFileSync(path, JSON.stringify({ ...content, users: alter(content.users) }));
  };
  change('4', ([user = {}]) => [{ ...user, lastName: 'Changed' }]);
  change('5', ([user = {}]) => [
    user,
    { ...user, id: 'newcomer', username: 'newcomer', email: 'newcomer@example.org' },
  ]);
  rmSync(join(folder, 'harbour-users-6.json'));
}

it.each([
  { route: 'one by one', text: oneByOne, commands: 20 },
  { route: 'in bulk', text: inBulk, commands: 5 },
])('goes through as it stands: $route', { timeout: 120_000 }, async ({ text, commands }) => {
  const type = await atTheKeyboard();
  const steps = stepsOf(text);
  expect(steps.flatMap((step) => step.commands)).toHaveLength(commands);
  if (text === inBulk) {
    await type(['migrate', 'keycloak', '--org=$ORG', '--realm=export/']);
    await type(['migrate', 'keycloak', '--org=$ORG', '--realm=export-2/', '--output=second.json']);
  }
  for (const step of steps) {
    const screens: string[] = [];
    for (const argv of step.commands) {
      const ran = await type(argv);
      expect([argv.join(' '), ran.problem?.message, ran.exitCode]).toEqual([argv.join(' '), undefined, 0]);
      screens.push(screenOf(ran));
    }
    expect(notShown(step, screens.join(' '))).toEqual([]);
  }
});
