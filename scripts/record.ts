/**
 * `npm run record`: runs the rehearsal of the README in a real terminal (tmux) and writes what stands on its screen to
 * docs/rehearsal.svg. `test/docs/rehearsal.test.ts` compares its words with what the program prints.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawScreen } from './draw-screen.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const socket = `idport-record-${process.pid}`;
const columns = 120;
const prompt = '$ ';
/** What the README says; the server of the recording takes any free port. */
const shownUrl = 'http://127.0.0.1:8080';

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const server = spawn(
  process.execPath,
  [join(root, 'bin/idport.js'), 'serve', '--port=0', '--json', '--org=1'],
  {
    env: { ...process.env, IDPORT_SERVE_TOKEN: 'rehearsal' },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);
try {
  await record(await listening(server));
} finally {
  server.kill();
  try {
    tmux('kill-server');
  } catch {
    // It never came up; whatever was thrown before says why.
  }
  rmSync(folder, { recursive: true });
}

async function record(url: string): Promise<void> {
  cpSync(join(root, 'fixtures/keycloak/typical'), join(folder, 'fixtures/keycloak/typical'), {
    recursive: true,
  });
  writeFileSync(join(folder, 'idport'), `#!/bin/sh\nexec node ${join(root, 'bin/idport.js')} "$@"\n`);
  chmodSync(join(folder, 'idport'), 0o755);
  const env = {
    PS1: prompt,
    PATH: `${folder}:${process.env['PATH']}`,
    IDPORT_URL: url,
    IDPORT_TOKEN: 'rehearsal',
  };
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const shell = ['env', '-u', 'CI', '-u', 'NO_COLOR', '-u', 'ENV', ...settings, 'sh'];
  tmux('new-session', '-d', '-x', String(columns), '-y', '400', '-c', folder, ...shell);
  await standsStill();
  for (const command of commandsOfReadme()) {
    tmux('send-keys', '-l', command.replaceAll(shownUrl, url));
    tmux('send-keys', 'Enter');
    await standsStill();
  }
  const screen = tmux('capture-pane', '-p', '-e')
    .trimEnd()
    .replace(/\n\$\s*$/, '');
  const drawn = drawScreen(screen.replaceAll(url, shownUrl).split('\n'), columns);
  writeFileSync(join(root, 'docs/rehearsal.svg'), drawn);
}

function commandsOfReadme(): string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const section = /rehearsal\.test\.ts -->\n([^]*?)^## /m.exec(readme)?.[1] ?? '';
  return Array.from(section.matchAll(/^node bin\/idport\.js (.*)$/gm), ([, words]) => `idport ${words}`);
}

function tmux(...words: readonly string[]): string {
  return execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8' });
}

/** Until the last line is an empty prompt. */
async function standsStill(): Promise<void> {
  const deadline = Date.now() + 60_000;
  do {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (tmux('capture-pane', '-p').trimEnd().split('\n').at(-1) === prompt.trimEnd()) return;
  } while (Date.now() < deadline);
  throw new Error(`the terminal does not come back:\n${tmux('capture-pane', '-p')}`);
}

async function listening({ stdout }: ChildProcess): Promise<string> {
  for await (const chunk of stdout ?? []) return (JSON.parse(String(chunk)) as { url: string }).url;
  throw new Error('the server did not start');
}
