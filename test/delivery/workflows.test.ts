/** The workflows read as YAML: they parse, run what is there, and may do no more than they need. */
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, readProject } from '../support/folder.ts';

const workflows = filesBelow('.github/workflows').map((path) => ({
  name: basename(path),
  workflow: parse(readProject(path)),
}));
const { scripts } = JSON.parse(readProject('package.json'));
const stepsOf = (workflow: any) => Object.values<any>(workflow.jobs).flatMap(({ steps }) => steps);

describe.each(workflows)('$name', ({ workflow }) => {
  it('has read permissions except where a job says otherwise', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('has a time limit and keeps no credentials in the checkout', () => {
    for (const job of Object.values<any>(workflow.jobs))
      expect(job['timeout-minutes']).toBeLessThanOrEqual(180);
    const checkouts = stepsOf(workflow).filter(({ uses = '' }) => uses.startsWith('actions/checkout'));
    expect(checkouts.length).toBe(Object.keys(workflow.jobs).length);
    for (const { with: options } of checkouts) expect(options['persist-credentials']).toBe(false);
  });

  it('pins actions to a commit and runs existing scripts', () => {
    const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);
    for (const name of used) expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    const names = stepsOf(workflow).flatMap(({ run }) => /npm run ([\w:-]+)/.exec(run)?.[1] ?? []);
    for (const name of names) expect(scripts).toHaveProperty(name);
  });

  it('has no token except that of the job', () => {
    const ofTheJob = '"GH_TOKEN":"${{ github.token }}"';
    expect(JSON.stringify(workflow).replaceAll(ofTheJob, '')).not.toMatch(/secrets\.|TOKEN/);
  });
});

describe('release.yml', () => {
  const { publish } = parse(readProject('.github/workflows/release.yml')).jobs;

  it('checks everything before it publishes with provenance', () => {
    const commands = publish.steps.flatMap(({ run }: any) => run ?? []) as string[];
    expect(commands.indexOf('.ci/run')).toBeGreaterThan(-1);
    expect(commands.at(-1)).toBe('npm publish ./idport-*.tgz --provenance --access public');
    expect(commands.slice(-3, -1)).toEqual([
      'npm pack',
      'node scripts/homebrew-formula.js idport-*.tgz > idport.rb',
    ]);
    expect(commands.findIndex((command) => command.includes('GITHUB_REF_NAME'))).toBeLessThan(
      commands.indexOf('.ci/run'),
    );
  });
});
