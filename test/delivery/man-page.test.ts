/** The man page: it has every command and every flag, and programs that show man pages accept it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatManPage } from '../../scripts/man-page.ts';
import { ExitCode } from '../../src/errors.ts';
import { shapeOfProgram } from '../support/tree.ts';
import { eachVerb } from '../../src/cli/shape.ts';

const page = formatManPage();
const plain = page.replaceAll('\\-', '-');
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const verbs = eachVerb(shapeOfProgram());

describe('the man page', () => {
  it('has every command that runs something', () => {
    const running = verbs.filter((verb) => verb.verbs.length === 0).map(({ name }) => name);
    expect(running.length).toBeGreaterThan(80);
    for (const name of running) expect(plain).toMatch(new RegExp(`^\\.SS "idport ${name}[ "]`, 'm'));
  });

  it('has every flag', () => {
    const flags = verbs.flatMap((verb) => verb.flags.filter(({ hidden }) => !hidden));
    for (const { long } of flags) expect(plain).toMatch(new RegExp(`^\\.B .*${long}(?![\\w-])`, 'm'));
  });

  it('has every exit code', () => {
    const section = plain.slice(plain.indexOf('.SH EXIT STATUS'), plain.indexOf('.SH ENVIRONMENT'));
    const codes = [...section.matchAll(/^\.B (\d+)$/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(ExitCode));
  });

  it('has no line that a text could have made a request', () => {
    const requests = page.split('\n').flatMap((line) => /^[.'](\S*)/.exec(line)?.[1] ?? []);
    expect([...new Set(requests)].toSorted()).toEqual(['B', 'SH', 'SS', 'TH', 'TP']);
  });

  it('is what the package names and holds', () => {
    const { man, files } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(man).toBe('man/idport.1');
    expect(files).toContain('man');
  });

  it.skipIf(!has('mandoc'))('has no fault that mandoc finds (needs mandoc)', () => {
    // A page without a date is a warning: the same version gives the same page on every day.
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning'], { input: page, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
  });

  it.skipIf(!has('groff'))('is laid out by groff without a complaint (needs groff)', () => {
    const { stdout, stderr, status } = spawnSync('groff', ['-man', '-Tascii', '-ww'], {
      input: page,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Interrupted by Ctrl-C');
  });
});
