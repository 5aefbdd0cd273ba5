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
      inspect,
      map,
      sources,
      migrate,
      'create-idps': createIdps,
      check,
      import: importVerb,
      'import-users': importUsers,
      verify,
      undo,
      merge,
      report,
      runs,
      export: exportVerb,
      copy,
      profile,
      password,
      token,
      jit,
      actions,
      serve,
      explain,
      completion,
    },
  ),
  flags: programFlags,
};
