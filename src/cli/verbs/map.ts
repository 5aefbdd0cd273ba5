/** `idport map`: the beginning of a mapping file. */
import type { DeclareVerb } from '../verb.ts';

export const declareMap: DeclareVerb = (program, dispatch) => {
  program
    .command('map')
    .description('look at a table of users and draft a mapping for it')
    .argument('<file>', 'CSV, JSON, JSON lines, SQL dump or LDIF, also gzipped')
    .option('--table <name>', 'table of the users in an SQL dump')
    .examples('idport map users.csv > mapping.yaml', 'idport map dump.sql.gz --table=accounts')
    .action((file: string, flags: { table?: string }) =>
      dispatch(async () => (await import('../../commands/map.ts')).draftMap, { ...flags, file }),
    );
};
