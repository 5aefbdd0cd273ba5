/** The verbs of a migration: look at a source, convert it, check, import, compare, roll back. */
import { bodiesArgument, bodyArgument, forceFlags, providerFlags } from '../../flags/source.ts';
import { migrateFlags } from '../../flags/conversion.ts';
import {
  checkFlags,
  copyFlags,
  createIdpsFlags,
  exportFlags,
  importFlags,
  importUsersFlags,
  undoFlags,
  verifyFlags,
} from '../../flags/imports.ts';
import {
  files,
  initFlags,
  inspectFlags,
  mapArgument,
  mapFlags,
  sourcesArgument,
  sourcesFlags,
} from '../../flags/others.ts';
import { required, text } from '../../lib/flag.ts';
import { type ExportName, providerNames, providers } from '../../sources/providers.ts';
import { branch, verb } from '../verb.ts';

/** Common flags in the short help of every verb that talks to the service. */
const service = ['url', 'tokenFile', 'keyFile'];

export const init = verb({
  description: 'set up a migration: asks what is needed, writes idport.config.json, prints the next commands',
  args: files,
  flags: initFlags,
  common: ['from', 'map', 'rehearsal', 'org', ...service, 'targetProfile', 'force'],
  withoutSettings: true,
  examples: [
    'idport init',
    'idport init realm.json --rehearsal',
    'idport init users.csv --from=csv --map=mapping.yaml --rehearsal',
    'idport init realm.json --url=https://example.zitadel.cloud --org=165617389845094785 --key-file=secrets/key.json',
  ],
  load: async () => (await import('../../commands/init.ts')).init,
});

export const inspect = verb({
  description: 'summarize an export: what it holds, what the target takes, what is lost',
  args: files,
  flags: inspectFlags,
  common: ['from', 'realm', 'users', 'passwords', 'map', 'format', 'idps', 'targetProfile'],
  examples: [
    'idport inspect realm.json',
    'idport inspect realm.json --idps',
    'idport inspect users.ndjson --passwords=passwords.ndjson --format=markdown > inspection.md',
    'idport inspect --from=csv --users=users.csv --map=mapping.yaml --format=json | jq .fields',
  ],
  load: async () => (await import('../../commands/inspect.ts')).inspectExport,
});

export const map = verb({
  description: 'look at a table of users and draft a mapping for it',
  args: mapArgument,
  flags: mapFlags,
  examples: ['idport map users.csv > mapping.yaml', 'idport map dump.sql.gz --table=accounts'],
  load: async () => (await import('../../commands/map.ts')).draftMap,
});

export const sources = verb({
  description: 'list the sources, and what can be migrated from each',
  args: sourcesArgument,
  flags: sourcesFlags,
  examples: ['idport sources', 'idport sources django'],
  load: async () => (await import('../../commands/sources.ts')).listSources,
});

function migrateFrom(provider: ExportName) {
  const { description, examples, input, companions } = providers[provider];
  return verb({
    description,
    flags: { ...providerFlags(provider), ...forceFlags, ...migrateFlags },
    common: [
      ...[input, ...companions].map(({ name }) => name),
      'map',
      'org',
      'output',
      'report',
      'rejects',
      'emailVerified',
      'metadata',
      'idpMap',
      'targetProfile',
      'roles',
    ],
    examples,
    load: async () => {
      const { migrate } = await import('../../commands/migrate.ts');
      return (flags, context) => migrate({ ...flags, provider }, context);
    },
  });
}

export const migrate = branch(
  'convert an export into an import body; idport migrate realm.json recognizes the source',
  (['keycloak', 'auth0', 'csv'] as const).flatMap((name) => providers[name].examples.slice(0, 1)),
  Object.fromEntries(providerNames.map((name) => [name, () => migrateFrom(name)])),
);

export const createIdps = verb({
  description:
    'create the identity providers of a Keycloak realm at the target, so that users keep their linked logins',
  args: files,
  flags: createIdpsFlags,
  common: ['org', ...service, 'realm', 'database', 'realmName', 'idpSecrets', 'output', 'dryRun'],
  examples: [
    'idport create-idps realm.json --org=165617389845094785 --url=https://example.zitadel.cloud --token-file=token.txt',
    'idport create-idps realm.json --org=1 --url=http://localhost:8080 --idp-secrets=secrets.csv --output=idps.csv',
    'idport create-idps --org=1 --database=postgres://idport@db.example.org/keycloak --realm-name=orchard --output=idps.csv',
  ],
  load: async () => (await import('../../commands/create-idps.ts')).createIdpsCommand,
});

export const check = verb({
  description: 'preflight: what the service will refuse, who will get an email, how long an import takes',
  args: { body: text('[body]', 'import body or export; - for standard input') },
  flags: checkFlags,
  common: ['from', ...service, 'org', 'targetProfile', 'route', 'maxEmails', 'sample', 'report', 'rejects'],
  examples: [
    'idport check importBody.json --target-profile=hosted',
    'idport check --from=keycloak --realm=realm.json --target-profile=self-hosted --route=import --max-emails=100',
    'idport check importBody.json --url=https://example.zitadel.cloud --token-file=token.txt',
  ],
  load: async () => (await import('../../commands/check.ts')).check,
});

export const importVerb = verb({
  description: 'import a body or an export in bulk, and account for every entry',
  args: { body: required(text('<body>', 'what `migrate` or `export` wrote')) },
  flags: importFlags,
  common: [...service, 'rate', 'maxEmails', 'resume', 'fresh', 'dryRun', 'report', 'rejects', 'sinceJournal'],
  examples: [
    'idport import importBody.json --url=https://example.zitadel.cloud --token-file=token.txt',
    'idport import importBody.json --url=https://id.example.com --key-file=key.json --report=report.md --rejects=rejects.json',
    'idport import importBody.json --url=https://id.example.com --key-file=key.json --resume',
    'idport import second.json --since-journal=importBody.json.journal --url=https://id.example.com --key-file=key.json',
    'idport import importBody.json --dry-run --target-profile=hosted',
  ],
  load: async () => (await import('../../commands/import.ts')).importBody,
});

export const importUsers = verb({
  description: 'create users one by one, within the rate limit; can resume after any interruption',
  args: bodyArgument,
  flags: importUsersFlags,
  common: [
    'from',
    'org',
    ...service,
    'rate',
    'maxEmails',
    'resume',
    'fresh',
    'dryRun',
    'report',
    'sinceJournal',
  ],
  examples: [
    'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token.txt',
    'idport import-users --from=keycloak --realm=realm.json --org=1 --url=http://localhost:8080 --rate=unlimited',
    'idport import-users importBody.json --org=1 --since-journal=importBody.json.users.journal --journal=second.journal',
  ],
  load: async () => (await import('../../commands/import-users.ts')).importUsersCommand,
});

export const verify = verb({
  description:
    'compare the users of the service with a body: = same, ~ same but cannot sign in, - missing, + extra, * differs, ! unknown',
  args: bodiesArgument,
  flags: verifyFlags,
  common: ['from', 'org', ...service, 'idMap', 'details', 'all', 'allowExtra', 'loginSample', 'report'],
  examples: [
    'idport verify importBody.json importBody-2.json --url=https://example.zitadel.cloud --token-file=token.txt',
    'idport verify importBody.json --url=https://id.example.com --key-file=key.json --id-map=importBody.json.ids.csv',
    'idport verify importBody.json --url=http://localhost:8080 --login-sample=users.csv --all',
    'idport verify importBody.json --url=http://localhost:8080 --details=all --report=verify.md',
  ],
  load: async () => (await import('../../commands/verify.ts')).verify,
});

export const undo = verb({
  description: 'roll back an import and those it repeated: delete the users they created, no others',
  args: { journal: text('[journal]', 'same as --journal') },
  flags: undoFlags,
  common: ['journal', ...service, 'yes', 'changed', 'createdOrgs', 'resume', 'report'],
  examples: [
    'idport undo importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token.txt',
    'idport undo importBody.json.users.journal --url=https://example.zitadel.cloud --token-file=token.txt --yes=1250',
  ],
  load: async () => (await import('../../commands/undo.ts')).undo,
});

export const exportVerb = verb({
  description: 'export the organizations of a service to a file that can be imported elsewhere',
  flags: exportFlags,
  common: [...service, 'org', 'exclude', 'withPasswords', 'withOtp', 'output', 'rate'],
  examples: [
    'idport export --url=https://id.example.com --key-file=key.json --with-passwords --with-otp',
    'idport export --url=https://id.example.com --token-file=token.txt --org=1 --org=2 --output=- | gzip > two.json.gz',
  ],
  load: async () => (await import('../../commands/export.ts')).exportData,
});

export const copy = verb({
  description: 'copy the organizations of one service to another, through an export file',
  flags: copyFlags,
  common: [
    'fromUrl',
    'fromTokenFile',
    'fromKeyFile',
    'toUrl',
    'toTokenFile',
    'toKeyFile',
    'org',
    'via',
    'maxEmails',
    'resume',
    'dryRun',
    'report',
  ],
  examples: [
    'idport copy --from-url=https://old.example.com --from-key-file=old.json --to-url=https://new.example.com --to-key-file=new.json',
    'idport copy --from-url=https://old.example.com --to-url=https://new.example.com --org=1 --no-passwords --resume',
  ],
  load: async () => (await import('../../commands/copy.ts')).copy,
});
