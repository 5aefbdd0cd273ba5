/** `idport verify`: proves that everybody arrived, as a line for each who did not. */
import { Option } from 'commander';
import type { VerifyFlags } from '../../commands/verify.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { addRecordFlags } from '../flags/conversion.ts';
import { addSourceFlags } from '../flags/provider.ts';
import { examples, collect, type DeclareVerb } from '../verb.ts';

export const declareVerify: DeclareVerb = (program, dispatch) => {
  const command = program
    .command('verify')
    .description(
      'compare the people at the target with a body: = same, - missing, + extra, * differs, ! unknown',
    )
    .argument('[body]', 'import body or export')
    .option('--org <id>', 'organization to look into; those of the body by default', collect);
  addConnectionFlags(command)
    .option('--rate <n/s>', 'requests a second, or unlimited; 45/s where the target is the hosted service')
    .option('--budget <n>', 'stop before the request after so many')
    .option('--id-map <file>', 'old and new ids, as an import wrote them')
    .addOption(
      new Option(
        '--details <whom>',
        'metadata, links, passwords: of people whose source has any, of all, of none',
      )
        .choices(['source', 'all', 'none'])
        .default('source'),
    )
    .option('--no-export', 'ask for the details person by person, never with an export')
    .option('--concurrency <n>', 'requests under way at most; as many of them as make it faster', '16')
    .option('--report <file>', 'write a report (.json or .md) with everybody who is not as expected')
    .option('--all', 'print those who are as expected, too')
    .option('--allow-extra', 'people who are only at the target are no difference')
    .option('--login-sample <file>', 'CSV of user,password: each must be able to sign in');
  addRecordFlags(addSourceFlags(command));
  command
    .addHelpText(
      'after',
      examples(
        'idport verify importBody.json --url=https://example.zitadel.cloud --token-file=token',
        'idport verify importBody.json --url=https://id.example.com --key-file=key.json --id-map=importBody.json.ids.csv',
        'idport verify importBody.json --url=http://localhost:8080 --login-sample=users.csv --all',
        'idport verify importBody.json --url=http://localhost:8080 --details=all --report=verify.md',
      ),
    )
    .action((body: string | undefined, options) =>
      dispatch(async () => (await import('../../commands/verify.ts')).verify, {
        ...options,
        body,
      } as VerifyFlags),
    );
};
