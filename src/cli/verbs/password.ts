/** `idport password`: proves that a user can still log in. */
import type { VerifyOptions } from '../../commands/password.ts';
import type { DeclareVerb } from '../verb.ts';

export const declarePassword: DeclareVerb = (program, dispatch) => {
  const lookUp = [
    'idport password verify --body importBody.json --user alice',
    'printf %s "$PASSWORD" | idport password verify --body importBody.json --user alice --password -',
  ];
  program
    .command('password')
    .description('prove that a converted hash accepts a known password')
    .examples(...lookUp)
    .command('verify')
    .description('check a password against the hash of a user in an import body; exit code 4 if it fails')
    .requiredOption('--body <file>', 'import body, also gzipped')
    .requiredOption('--user <name>', 'user name or id')
    .option('--password <from>', '- reads it from standard input (default: ask on the terminal)')
    .format()
    .examples(...lookUp)
    .action((options: VerifyOptions) =>
      dispatch(async () => (await import('../../commands/password.ts')).verifyPasswordOf, options),
    );
};
