import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/cli/config/read.ts';
import { withNewNames } from '../../src/cli/renamed.ts';
import { renamedFlags } from '../../src/lib/old-names.ts';
import { allFlags } from '../support/all-flags.ts';
import { parseArgv } from '../support/argv.ts';
import { shapeOfProgram } from '../support/tree.ts';

const migrate = ['migrate', 'keycloak', '--org=1', '--realm=a'];

describe('renamed flags', () => {
  it.each([...renamedFlags])('--%s is now --%s, which exists', (old, name) => {
    expect(allFlags()).toContain(`--${name}`);
    expect(allFlags()).not.toContain(`--${old}`);
  });

  it.each([['--pbkdf2-spelling=ab64'], ['--pbkdf2-spelling', 'ab64']])(
    '%s %s still works',
    async (...argv) => {
      expect(await parseArgv([...migrate, ...argv])).toMatchObject({ pbkdf2Encoding: 'ab64' });
    },
  );

  it('still work in a configuration file', () => {
    const text = '{"verbs":{"migrate keycloak":{"pbkdf2-spelling":"ab64"}}}';
    expect(parseConfig(text, 'c.json', shapeOfProgram()).verbs).toEqual({
      'migrate keycloak': { 'pbkdf2-encoding': 'ab64' },
    });
  });

  it('are left alone where they are not flags', () => {
    expect(withNewNames(['--', '--pbkdf2-spelling=a'])).toEqual(['--', '--pbkdf2-spelling=a']);
    expect(withNewNames(['pbkdf2-spelling'])).toEqual(['pbkdf2-spelling']);
  });
});
