/** `idport token`: a token from a key, or what a token may do. */
import type { TokenFlags } from '../../commands/token.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { examples, formatOption, type DeclareVerb } from '../verb.ts';

export const declareToken: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('token')
    .description('get an access token with the key of a service user, or say what a token may do');
  addConnectionFlags(command)
    .option('--check', 'ask the service whose token it is and which roles it has')
    .option('--output <file>', 'where the token goes, for its owner alone; - for standard output', '-')
    .addOption(formatOption())
    .addHelpText(
      'after',
      examples(
        'idport token --url https://id.example.com --key-file key.json --output token.txt',
        'idport token --check --url https://id.example.com --token-file token.txt',
      ),
    )
    .action((options: TokenFlags) =>
      dispatch(async () => (await import('../../commands/token.ts')).token, options),
    );
};
