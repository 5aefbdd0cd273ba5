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
const named = (name: string) => workflows.find((one) => one.name === name)?.workflow;
const stepsOf = (workflow: any) => Object.values<any>(workflow.jobs).flatMap(({ steps }) => steps);
const commandsOf = (workflow: any) => stepsOf(workflow).flatMap(({ run }) => run ?? []);

describe.each(workflows)('$name', ({ workflow }) => {
  it('may only read, apart from what a job says', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('ends in time, and keeps no credentials in the folder', () => {
    for (const job of Object.values<any>(workflow.jobs))
      expect(job['timeout-minutes']).toBeLessThanOrEqual(180);
    const checkouts = stepsOf(workflow).filter(({ uses = '' }) => uses.startsWith('actions/checkout'));
    expect(checkouts.length).toBe(Object.keys(workflow.jobs).length);
    for (const { with: options } of checkouts) expect(options['persist-credentials']).toBe(false);
  });

  it('uses actions of one commit only, and scripts that are there', () => {
    const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);
    for (const name of used) expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    const names = commandsOf(workflow).flatMap((command) => /npm run ([\w:-]+)/.exec(command)?.[1] ?? []);
    for (const name of names) expect(scripts).toHaveProperty(name);
  });

  it('keeps no token; the one that each job gets for itself ends with it', () => {
    const ofTheJob = '"GH_TOKEN":"${{ github.token }}"';
    expect(JSON.stringify(workflow).replaceAll(ofTheJob, '')).not.toMatch(/secrets\.|TOKEN/);
  });
});

describe('release.yml', () => {
  const workflow = named('release.yml');
  const { publish } = workflow.jobs;

  it('proves everything, then publishes with provenance as the last step', () => {
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
