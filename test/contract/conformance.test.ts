/**
 * Plays the calls that were recorded at the service against a fresh reference server, one for each recording, and fails
 * on any difference that is not in the table, and on any row of it that no longer differs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { createTestFolder, fixture, root } from '../support/folder.ts';
import { differences } from './differences.ts';

const recorded = fixture('recorded/');

/** Scenario, recording, and the profile of the installation that was recorded. */
const recordings = [
  ['general', 'calls-self-hosted', 'self-hosted'],
  ['general', 'calls-all-verifiers', 'all-verifiers'],
  ['projects', 'calls-projects', 'self-hosted'],
  ['users-v2', 'calls-users-v2', 'self-hosted'],
  ['users-v2', 'calls-users-v2-all-verifiers', 'all-verifiers'],
  ['removed', 'calls-removed', 'self-hosted'],
];

interface Found {
  readonly name: string;
  readonly found: readonly string[];
  readonly real: string;
  readonly here: string;
}

async function play(scenario: string, recording: string, profile: string): Promise<Found[]> {
  const folder = createTestFolder();
  const server = createReferenceServer({ profile, rate: null, control: false });
  const { url } = await server.listen({ port: 0 });
  const tokens = join(folder, 'tokens.json');
  const out = join(folder, 'found.json');
  writeFileSync(tokens, JSON.stringify({ orgId: server.orgId, tokens: server.tokens }));
  const files = [`--recorded=${recorded}${recording}.jsonl`, `--json=${out}`];
  const args = ['test/contract/recorded/run.mjs', url, tokens, `--scenario=${scenario}`, ...files, '--quiet'];
  try {
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, args, { cwd: root }, (error, stdout) => {
        if (error !== null && error.code !== 1) reject(new Error(stdout, { cause: error }));
        else resolve();
      });
    });
  } finally {
    await server.close();
  }
  return JSON.parse(readFileSync(out, 'utf8'));
}

const meant = differences.flatMap(({ calls }) => calls);
const seen = new Set<string>();

it.each(recordings)(
  'the recorded calls of %s, %s, are answered as recorded, or explained',
  async (scenario, recording, profile) => {
    const found = await play(scenario, recording, profile);
    for (const { name } of found) seen.add(name);
    expect(found.filter(({ name }) => !meant.includes(name))).toEqual([]);
  },
);

it('the recorded calls differ in every place that a table explains', () => {
  expect(meant.filter((name) => !seen.has(name))).toEqual([]);
});

it('the recorded calls are unchanged recordings', () => {
  const readme = readFileSync(`${recorded}README.md`, 'utf8');
  const files = readdirSync(recorded).filter((name) => name.endsWith('.jsonl'));
  expect(files.toSorted()).toEqual(recordings.map(([, name]) => `${name}.jsonl`).toSorted());
  for (const name of files) {
    const digest = createHash('sha256')
      .update(readFileSync(recorded + name))
      .digest('hex');
    expect(readme).toContain(`| \`${name}\` | ${digest} |`);
  }
});
