/** `idport verify`: compares source and target, with a line for each user who differs. */
import type { VerifyFlags } from '../../commands/verify.ts';
import { addAppsFlag } from '../flags/apps.ts';
import { addConnectionFlags, addShardFlags, addWaitFlag } from '../flags/connection.ts';
import { addRecordFlags } from '../flags/conversion.ts';
import { addOrgFlags } from '../flags/orgs.ts';
import { addSourceFlags } from '../flags/provider.ts';
import { collect, type DeclareVerb } from '../verb.ts';

export const declareVerify: DeclareVerb = (program, dispatch) => {
  program
    .command('verify')
    .description(
      'compare the users of the service with a body: = same, ~ same but cannot sign in, - missing, + extra, * differs, ! unknown',
    )
    .argument('[body]', 'import body or export')
    .option('--org <id>', 'organization to compare (default: those of the body)', collect)
    .with(addConnectionFlags, addWaitFlag, addShardFlags)
    .option(
      '--rate <n/s>',
      'maximum requests per second, or unlimited (default: 45/s for the hosted service)',
    )
    .option('--budget <n>', 'stop after N requests')
    .option('--id-map <file>', 'CSV of old and new ids, from an import')
    .choice(
      '--details <whom>',
      'compare metadata, links and passwords: of users whose source has them, of all, of none',
      ['source', 'all', 'none'],
      'source',
    )
    .option('--no-export', 'read the details user by user, never with an export')
    .option('--concurrency <n>', 'maximum concurrent requests', '16')
    .output('--report <file>', 'write a report (.json, .md or .html) of every user who is not as expected')
    .option('--jit', 'users were imported with import-users --jit')
    .option('--all', 'print users who are the same, too')
    .option('--allow-extra', 'accept users who exist only at the target')
    .option('--login-sample <file>', 'CSV of user,password: each must be able to log in')
    .with(addSourceFlags, addOrgFlags, addAppsFlag, addRecordFlags)
    .examples(
      'idport verify importBody.json --url=https://example.zitadel.cloud --token-file=token',
      'idport verify importBody.json --url=https://id.example.com --key-file=key.json --id-map=importBody.json.ids.csv',
      'idport verify importBody.json --url=http://localhost:8080 --login-sample=users.csv --all',
      'idport verify importBody.json --url=http://localhost:8080 --details=all --report=verify.md',
    )
    .action((body: string | undefined, options) =>
      dispatch(async () => (await import('../../commands/verify.ts')).verify, {
        ...options,
        body,
      } as VerifyFlags),
    );
};
