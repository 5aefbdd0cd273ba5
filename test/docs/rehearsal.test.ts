/** The migration of the README, command by command, against the reference server over a socket; and the demo's picture. */
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
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const migration = /rehearsal\.test\.ts -->\n([^]*?)^## /m.exec(readme)?.[1] ?? '';

it('goes through as the README says, shows what it shows, and loses no user', async () => {
  const steps = stepsOf(migration);
  expect(steps.flatMap(({ commands }) => commands.map(([verb]) => verb))).toEqual([
    'migrate',
    'check',
    'import-users',
    'verify',
    'undo',
  ]);
  const server = createReferenceServer({ orgId: '165617389845094785' });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const cwd = createTestFolder();
  cpSync(`${root}fixtures/keycloak/typical/realm.json`, join(cwd, 'realm.json'));
  const env = { IDPORT_URL: url, IDPORT_TOKEN: server.tokens.iamOwner };
  const before = server.state.store.users.size;
  for (const step of steps) {
    const screens: string[] = [];
    for (const argv of step.commands) {
      const ran = await runProgram(
        argv.map((word) => word.replace('$IDPORT_URL', url)),
        { cwd, env },
      );
      expect([argv[0], ran.problem?.message, ran.exitCode]).toEqual([argv[0], undefined, 0]);
      screens.push(screenOf(ran));
    }
    expect(notShown(step, screens.join(' '))).toEqual([]);
  }
  expect(server.state.store.users.size).toBe(before);
});

it('has a picture of the demo that shows what the program prints (else: npm run record)', async () => {
  const picture = readFileSync(`${root}docs/demo.svg`, 'utf8');
  const texts = Array.from(picture.matchAll(/<text [^>]*>(.*)<\/text>/g), ([, line = '']) => unescape(line));
  const { events } = await runProgram(['demo'], { cwd: root });
  const lines: string[] = [];
  const screen = {
    columns: () => 132,
    show: () => {},
    print: (added: readonly string[]) => lines.push(...added),
  };
  const emit = createLive(screen, createFakeClock(), noPaint);
  for (const event of events) emit(event);
  expect(texts[0]).toMatch(/\$ npx idport demo$/);
  expect(steady(texts.slice(1))).toEqual(steady(lines));
});

/** Without what differs from run to run, and however the terminal broke the lines. */
function steady(lines: readonly string[]): string {
  const text = lines.join(' ').replace(/(--port=|127\.0\.0\.1:)\d+/g, '$1PORT');
  return text
    .replace(/in [\d.]+ m?s\b/g, 'in TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

function unescape(line: string): string {
  const text = line.replace(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
