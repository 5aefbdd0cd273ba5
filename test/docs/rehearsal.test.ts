/** The rehearsal of the README, command by command, against the reference server over a socket; and its recording. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { createLive } from '../../src/terminal/live.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestFolder } from '../support/folder.ts';
import { notShown, screenOf, stepsOf } from '../support/page.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { idportCommandsIn } from '../support/shell.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const rehearsal = /rehearsal\.test\.ts -->\n([^]*?)^## /m.exec(readme)?.[1] ?? '';
const shownUrl = 'http://127.0.0.1:8080';

interface Rehearsal {
  readonly type: (argv: readonly string[]) => Promise<Ran>;
  readonly url: string;
  /** Users and service accounts at the server. */
  readonly accounts: () => number;
}

async function createRehearsal(): Promise<Rehearsal> {
  const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: 'rehearsal' } });
  const listening = await server.listen({ port: 0 });
  onTestFinished(() => listening.close());
  const { url } = listening;
  const cwd = createTestFolder();
  cpSync(`${root}fixtures/keycloak/typical`, join(cwd, 'fixtures/keycloak/typical'), { recursive: true });
  const env = { IDPORT_URL: url, IDPORT_TOKEN: 'rehearsal' };
  return {
    url,
    accounts: () => server.state.store.users.size,
    type: (argv) =>
      runProgram(
        argv.map((word) => word.replace(shownUrl, url)),
        { cwd, env },
      ),
  };
}

it('goes through as the README says, shows what it shows, and loses no user', async () => {
  const steps = stepsOf(rehearsal);
  expect(steps.flatMap(({ commands }) => commands.map(([verb]) => verb))).toEqual([
    'migrate',
    'check',
    'import-users',
    'verify',
    'undo',
  ]);
  const { type, accounts } = await createRehearsal();
  const before = accounts();
  for (const step of steps) {
    const screens: string[] = [];
    for (const argv of step.commands) {
      const ran = await type(argv);
      expect([argv[0], ran.problem?.message, ran.exitCode]).toEqual([argv[0], undefined, 0]);
      screens.push(screenOf(ran));
    }
    expect(notShown(step, screens.join(' '))).toEqual([]);
  }
  expect(accounts()).toBe(before);
});

it('has a recording that shows what the program prints (else: npm run record)', async () => {
  const picture = readFileSync(`${root}docs/rehearsal.svg`, 'utf8');
  const texts = Array.from(picture.matchAll(/<text [^>]*>(.*)<\/text>/g), ([, line = '']) => unescape(line));
  const recorded = texts
    .join('\n')
    .split(/^\$ (?=idport )/m)
    .slice(1);
  expect(recorded.map((text) => idportCommandsIn(text.split('\n')[0] ?? '')[0])).toEqual(
    stepsOf(rehearsal).flatMap(({ commands }) => commands),
  );

  const { type, url } = await createRehearsal();
  for (const text of recorded) {
    const [command = '', ...lines] = text.split('\n');
    const [argv = []] = idportCommandsIn(command);
    const screen = liveScreenOf(await type(argv)).replaceAll(url, shownUrl);
    expect(wordsOf(lines.join(' '))).toEqual(wordsOf(screen));
  }
});

/** What a terminal shows at the end. */
function liveScreenOf({ stdout, events }: Ran): string {
  const lines: string[] = [];
  const screen = {
    columns: () => 120,
    show: () => {},
    print: (added: readonly string[]) => lines.push(...added),
  };
  const emit = createLive(screen, createFakeClock(), noPaint);
  for (const event of events) emit(event);
  return `${stdout} ${lines.join(' ')}`;
}

/** Without what differs from run to run: times, new ids, and the order in which users were finished. */
function wordsOf(text: string): string[] {
  const steady = text.replace(/\d{18}/g, 'ID').replace(/\b[\d.]+ m?s\b/g, 'TIME');
  return steady
    .split(/\s+/)
    .filter(Boolean)
    .toSorted((a, b) => a.localeCompare(b));
}

function unescape(line: string): string {
  const text = line.replace(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
