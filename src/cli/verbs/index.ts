/** The tree of verbs, in the order of the help. */
import { programFlags } from '../../flags/others.ts';
import { branch, type Verb } from '../verb.ts';
import { actions } from './actions.ts';
import { jit } from './jit.ts';
import {
  check,
  copy,
  createIdps,
  exportVerb,
  importUsers,
  importVerb,
  init,
  inspect,
  map,
  migrate,
  sources,
  undo,
  verify,
} from './migration.ts';
import { completion, demo, explain, merge, password, profile, report, runs, serve, token } from './others.ts';

export const tree: Verb = {
  ...branch(
    'Migrates users from Keycloak, Auth0 and many other systems into a ZITADEL-compatible service, and accounts for every one.',
    [
      'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
      'idport check importBody.json --target-profile=hosted',
      'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token.txt',
    ],
    {
      demo,
      init,
      sources,
      inspect,
      map,
      migrate,
      password,
      'create-idps': createIdps,
      check,
      import: importVerb,
      'import-users': importUsers,
      verify,
      jit,
      undo,
      runs,
      report,
      merge,
      export: exportVerb,
      copy,
      token,
      profile,
      actions,
      serve,
      explain,
      completion,
    },
  ),
  flags: programFlags,
  headings: {
    demo: 'Start:',
    sources: 'Look at the source:',
    migrate: 'Migrate:',
    runs: 'Follow up:',
    export: 'Work with a service:',
    serve: 'Other:',
  },
};
