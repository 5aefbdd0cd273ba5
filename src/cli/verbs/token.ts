/** `idport token`: gets an access token, or checks one. */
import type { TokenFlags } from '../../commands/token.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareToken: DeclareVerb = (program, dispatch) => {
  program
    .command('token')
    .description('get an access token for a service account, or check what a token may do')
    .with(addConnectionFlags)
    .option('--check', 'show the user and the roles of the token')
    .output(
      '--output <file>',
      'where to write the token, readable by its owner only; - for standard output',
      '-',
    )
    .format()
    .examples(
      'idport token --url https://id.example.com --key-file key.json --output token.txt',
      'idport token --check --url https://id.example.com --token-file token.txt',
    )
    .action((options: TokenFlags) =>
      dispatch(async () => (await import('../../commands/token.ts')).token, options),
    );
};
