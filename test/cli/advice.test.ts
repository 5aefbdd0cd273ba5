import { describe, expect, it } from 'vitest';
import { fitAdvice } from '../../src/cli/program.ts';
import { eachVerb } from '../../src/cli/shape.ts';
import { renameFlags } from '../../src/commands/copy.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();
const verb = (name: string) => [program, ...eachVerb(program).filter((one) => one.name === name)];

describe('advice', () => {
  it('stands as it is where the verb has all that it names', () => {
    const text = 'Lower --rate. Then go on with --resume, or set IDPORT_TOKEN.';
    expect(fitAdvice(text, verb('import'))).toBe(text);
  });

  it('loses the sentences that name flags of other verbs', () => {
    expect(fitAdvice('Check --url. Then go on with --resume. Wait.', verb('export'))).toBe(
      'Check --url. Wait.',
    );
    expect(fitAdvice('Then go on with --resume.', verb('export'))).toBeUndefined();
    expect(fitAdvice('Set IDPORT_TOKEN. Or wait.', verb('migrate keycloak'))).toBe('Or wait.');
  });

  it('keeps commands of other verbs, flags of the program, and those of other programs', () => {
    const text = 'Run `idport import --resume`. Use --json. Decrypt it with gpg --decrypt.';
    expect(fitAdvice(text, verb('export'))).toBe(text);
  });

  it('takes --x and --no-x for two', () => {
    expect(fitAdvice('Without --with-passwords. With --no-passwords.', verb('copy'))).toBe(
      'With --no-passwords.',
    );
  });

  it('can speak with the names of one side', () => {
    const names = { '--url': '--to-url', IDPORT_TOKEN: 'IDPORT_TO_TOKEN' };
    expect(renameFlags('Check --url, --url-x and IDPORT_TOKEN.', names)).toBe(
      'Check --to-url, --url-x and IDPORT_TO_TOKEN.',
    );
  });
});
