/** `idport inspect`: what an export holds. */
import type { InspectFlags } from '../../commands/inspect.ts';
import { addSourceFlags } from '../flags/provider.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareInspect: DeclareVerb = (program, dispatch) => {
  program
    .command('inspect')
    .description('look at an export before any decision: what it holds, what the target takes, what is lost')
    .argument('[files...]', 'files or folders of one export')
    .choice('--format <form>', 'form of the standard output', ['text', 'markdown', 'json'], 'text')
    .choice('--idps <what>', 'the identity providers alone, with the --idp of each to fill in', ['list'])
    .option(
      '--target-profile <name|file>',
      'what the target accepts (default: hosted for the hosted service, else self-hosted)',
    )
    .option('--threads <n>', 'worker threads (default: 1, or 2 for a large input on two or more cores)')
    .with(addSourceFlags)
    .examples(
      'idport inspect realm.json',
      'idport inspect realm.json --idps=list',
      'idport inspect users.ndjson --passwords=passwords.ndjson --format=markdown > inspection.md',
      'idport inspect --from=csv --users=users.csv --map=mapping.yaml --format=json | jq .fields',
    )
    .action((files: readonly string[], options) =>
      dispatch(async () => (await import('../../commands/inspect.ts')).inspectExport, {
        ...options,
        files,
      } as InspectFlags),
    );
};
