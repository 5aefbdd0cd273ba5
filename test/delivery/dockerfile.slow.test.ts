/** The Dockerfile read as text, and its build stage played through: no engine is needed to know that it fits. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestFolder, readProject as read, root } from '../support/folder.ts';

interface Step {
  readonly word: string;
  readonly rest: string;
}

/** The stages with their steps; the first step of each is its FROM. */
const stages = read('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .reduce<Step[][]>((found, line) => {
    const [word = '', ...rest] = line.split(' ');
    if (word === 'FROM') found.push([]);
    found.at(-1)?.push({ word, rest: rest.join(' ') });
    return found;
  }, []);
const [build = [], image = [], receiver = []] = stages;
const of = (steps: readonly Step[], word: string) =>
  steps.filter((step) => step.word === word).map(({ rest }) => rest);
/** What a stage copies out of the folder, and where to. */
const copied = (steps: readonly Step[]) =>
  of(steps, 'COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .map((rest) => rest.split(' '))
    .map((words) => ({ from: words.slice(0, -1), to: words.at(-1)! }));

describe('the Dockerfile', () => {
  it('starts the receiver as the user of the image, without core files', () => {
    const [command = '', ...args] = JSON.parse(of(receiver, 'ENTRYPOINT')[0]!) as string[];
    const here = args.map((text) => text.replace('/app/', root).replace('exec node', 'ulimit -c && echo'));
    const said = execFileSync(command, [...here, '--listen', 'a b'], { encoding: 'utf8' });
    expect(said).toBe(`0\n${root}bin/idport.js jit serve --listen a b\n`);
    expect(of(receiver, 'EXPOSE')).toEqual(['9600']);
    expect(receiver.map(({ word }) => word)).not.toContain('USER');
  });

  it('copies only existing files that .dockerignore admits', () => {
    const letThrough = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const wanted = [...copied(build), ...copied(image)].flatMap(({ from }) => from);
    for (const path of wanted) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(wanted.toSorted()).toEqual(letThrough.toSorted());
  });

  it('copies all that the build and the program need', () => {
    const folder = createTestFolder();
    for (const { from, to } of [...copied(build), { from: ['bin'], to: 'bin' }]) {
      for (const path of from) {
        const target = join(folder, to === './' ? path : to);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(join(root, path), target, { recursive: true });
      }
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const node = (...argv: string[]) =>
      execFileSync(process.execPath, argv, {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    node('scripts/build.js');
    expect(existsSync(join(folder, 'schema'))).toBe(true);
    expect(node('bin/idport.js', '--help')).toContain('idport');
  }, 120_000);
});
