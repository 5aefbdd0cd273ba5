/**
 * `npm run record`: runs `idport demo` in a real terminal (tmux) and draws what appears there, line by line, as the
 * moving picture docs/demo.svg. `test/docs/readme.test.ts` compares its words with what the program prints.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawScreen } from './draw-screen.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const socket = `idport-record-${process.pid}`;
const columns = 132;
const prompt = '$';

const folder = mkdtempSync(join(tmpdir(), 'record-'));
try {
  await record();
} finally {
  try {
    tmux('kill-server');
  } catch {
    // The terminal never started. The error that was thrown before says why.
  }
  rmSync(folder, { recursive: true });
}

async function record(): Promise<void> {
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec node ${join(root, 'bin/idport.js')} "$@"\n`);
  chmodSync(join(folder, 'npx'), 0o755);
  const settings = [`PS1=${prompt} `, `PATH=${folder}:${process.env['PATH']}`];
  const shell = ['env', '-u', 'CI', '-u', 'NO_COLOR', '-u', 'ENV', ...settings, 'sh'];
  tmux('new-session', '-d', '-x', String(columns), '-y', '100', '-c', root, ...shell);
  await screenWhen((lines) => lines.at(-1) === prompt);
  tmux('send-keys', '-l', 'npx idport demo');
  tmux('send-keys', 'Enter');
  await screenWhen((lines) => lines.length > 2 && lines.at(-1) === prompt);
  const screen = tmux('capture-pane', '-p', '-e').trimEnd().split('\n').slice(0, -1);
  // The port of the server differs each time.
  const steady = screen.map((line) => line.replaceAll(/(--port=|127\.0\.0\.1:)\d+/g, '$18080'));
  writeFileSync(join(root, 'docs/demo.svg'), drawScreen(steady, columns));
}

function tmux(...words: readonly string[]): string {
  return execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8' });
}

async function screenWhen(isReady: (lines: readonly string[]) => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isReady(tmux('capture-pane', '-p').trimEnd().split('\n'))) {
    if (Date.now() > deadline) throw new Error(`the terminal hangs:\n${tmux('capture-pane', '-p')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
