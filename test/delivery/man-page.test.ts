/** The man page: programs that show man pages accept it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { formatManPage } from '../../scripts/man-page.ts';
import { isInstalled } from '../support/local-program.ts';

const page = formatManPage();

describe('the man page', () => {
  it('escapes text that could be a request', () => {
    const requests = page.split('\n').flatMap((line) => /^[.'](\S*)/.exec(line)?.[1] ?? []);
    expect([...new Set(requests)].toSorted()).toEqual(['B', 'SH', 'SS', 'TH', 'TP']);
  });

  it.skipIf(!isInstalled('mandoc', '-h'))('has no fault for mandoc (needs mandoc)', () => {
    // A page without a date is a warning: the same version gives the same page on every day.
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning'], { input: page, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
  });

  it.skipIf(!isInstalled('groff', '-h'))('is formatted by groff without warnings (needs groff)', () => {
    const { stdout, stderr, status } = spawnSync('groff', ['-man', '-Tascii', '-ww'], {
      input: page,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Interrupted by Ctrl-C');
  });
});
