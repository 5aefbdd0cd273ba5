/** The Dockerfile read as text, and its build stage played through: no engine is needed to know that it fits. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestFolder, readProject as read, root } from '../support/folder.ts';
import { runCommand, runProcess } from '../support/process.ts';

const [, build = '', image = '', receiver = ''] = read('Dockerfile').split(/^(?=FROM )/m);
const of = (stage: string, word: string) =>
  Array.from(stage.matchAll(new RegExp(`^${word} (.*)$`, 'gm')), ([, rest = '']) => rest);
/** What a stage copies out of the folder, and where to. */
const copied = (stage: string) =>
  of(stage, 'COPY')
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
    expect(of(receiver, 'USER')).toEqual([]);
  });

  it('copies only existing files that .dockerignore admits', () => {
    const letThrough = Array.from(read('.dockerignore').matchAll(/^!(.*)$/gm), ([, path = '']) => path);
    const wanted = [...copied(build), ...copied(image)].flatMap(({ from }) => from);
    for (const path of wanted) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(wanted.toSorted()).toEqual(letThrough.toSorted());
  });

  it('copies all that the build and the program need', async () => {
    const folder = createTestFolder();
    for (const { from, to } of [...copied(build), { from: ['bin'], to: 'bin' }]) {
      for (const path of from) {
        const target = join(folder, to === './' ? path : to);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(join(root, path), target, { recursive: true });
      }
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const built = await runCommand(process.execPath, ['scripts/build.js'], { cwd: folder });
    expect(built.exitCode).toBe(0);
    expect(existsSync(join(folder, 'schema'))).toBe(true);
    const help = await runProcess(['--help'], { cwd: folder, program: join(folder, 'bin/idport.js') });
    expect(help.stdout).toContain('idport');
  }, 120_000);
});
