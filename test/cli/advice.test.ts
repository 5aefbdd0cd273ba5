import { describe, expect, it } from 'vitest';
import { fitAdvice } from '../../src/cli/program.ts';
import { eachVerb } from '../../src/cli/shape.ts';
import { renameFlags } from '../../src/commands/copy.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();
const verb = (name: string) => [program, ...eachVerb(program).filter((one) => one.name === name)];

describe('fitAdvice and renameFlags', () => {
  const ofImport = 'Lower --rate. Then go on with --resume, or set IDPORT_TOKEN.';
  const ofOthers =
    'Run `idport import --resume`. Use --json. Decrypt it with gpg --decrypt. Or `psql --csv`.';

  it.each([
    ['import', ofImport, ofImport],
    // Commands of other verbs, flags of the program, and those of other programs.
    ['export', ofOthers, ofOthers],
    ['export', 'Check --url. Then go on with --resume. Wait.', 'Check --url. Wait.'],
    ['export', 'Then go on with --resume.', undefined],
    ['migrate keycloak', 'Set IDPORT_TOKEN. Or wait.', 'Or wait.'],
    ['copy', 'Without --with-passwords. With --no-passwords.', 'With --no-passwords.'],
  ])('for %s drop sentences about flags of other verbs: %s', (name, text, fitting) => {
    expect(fitAdvice(text, verb(name))).toBe(fitting);
  });

  it('use the flag names of one side', () => {
    const names = { '--url': '--to-url', IDPORT_TOKEN: 'IDPORT_TO_TOKEN' };
    expect(renameFlags('Check --url, --url-x and IDPORT_TOKEN.', names)).toBe(
      'Check --to-url, --url-x and IDPORT_TO_TOKEN.',
    );
  });
});
