/** The flags of imports and exports, and of the verbs that check, compare and undo an import. */
import {
  partOf,
  replaces,
  reportOf,
  choice,
  commas,
  converting,
  each,
  group,
  off,
  on,
  oneOf,
  output,
  parsed,
  required,
  shared,
  text,
  type Values,
  readDecimal,
  readMost,
  readTimeout,
  wholeNumber,
} from '../lib/flag.ts';
import {
  concurrencyOf,
  connectionFlags,
  lockFlags,
  shardFlags,
  followFlags,
  sinceFlags,
  speedFlags,
  waitFlags,
} from './connection.ts';
import {
  appsFlags,
  appSecretsFlags,
  duplicatesFlags,
  firstLoginFlags,
  orgFlag,
  orgFlags,
  recordFlags,
  reportFlags,
  sentRecordFlags,
  wholeBodyFlags,
  messageFlags,
  phoneFlags,
} from './conversion.ts';
import { bodiesArgument, bodyArgument, forceFlags, realmFlags, sourceFlags } from './source.ts';

const dryRunFlags = group('Run', { dryRun: on('show what would be done, send nothing') });
const journalOf = (help: string) => group('Run', shared({ journal: output(help) }));
const idMapOf = (help: string) => group('Report', shared({ idMap: output(help) }));

/** For `import`, `copy` and `import-users`. */
const anyImportFlags = {
  ...waitFlags,
  ...lockFlags,
  ...group('Rules', {
    onExisting: choice('<rule>', 'users who already exist', ['skip', 'fail'], 'skip'),
    ids: choice('<which>', 'keep the ids of users, or give every user a new one', ['keep', 'new'], 'keep'),
  }),
  ...journalOf('journal of the run (default: next to the input)'),
  ...group('Run', {
    resume: on('continue a previous run over this input'),
    fresh: on('begin anew after a previous run; its journal is kept'),
  }),
  ...dryRunFlags,
  ...messageFlags,
};

/** For `import` and `copy`. */
const bulkFlags = {
  ...anyImportFlags,
  ...appSecretsFlags,
  ...phoneFlags,
  ...group('Rules', {
    emailAfter: choice(
      '<state>',
      'verified addresses of users without a password, which arrive unverified: leave them so, or set them to verified',
      ['leave', 'verified'],
      'leave',
    ),
    renameOrg: each('<old=new>', 'new name for an organization that the body creates (repeatable)'),
  }),
  ...group('Target', {
    chunkUsers: parsed('<n>', 'maximum entries in a request', wholeNumber(1)),
    chunkBytes: parsed('<n>', 'maximum bytes in a request, measured as protobuf', wholeNumber(1)),
    chunkSeconds: parsed('<n>', 'target duration of a request', wholeNumber(1), '30'),
  }),
  ...group('Report', {
    report: reportOf('entry that needs attention'),
    rejects: output('write entries that were not imported as a body: fix them, then import that file'),
  }),
  ...idMapOf(
    'write old id, new id and state of every user as CSV (default with --ids=new: next to the body)',
  ),
  ...speedFlags,
};

export type BulkFlags = Values<typeof bulkFlags>;

const bucketOf = (help: string) =>
  group('Target', {
    gcs: replaces(text('<gs://bucket/path>', help), 'split-by-org', 'since-journal'),
    gcsKey: text('<file>', 'key file of the service account for the bucket'),
    gcsEndpoint: text('<url>', "storage service to use instead of Google's"),
  });

export const importFlags = {
  ...connectionFlags,
  ...bulkFlags,
  ...group('Rules', {
    createOrg: each('<name>', 'create the organization if it does not exist; <id>=<name> with several'),
    skip: commas(
      '<parts>',
      'leave out users (with metadata and links) or members (with grants and keys), or both: users,members',
    ),
  }),
  ...sinceFlags,
  ...forceFlags,
  ...group('Input', { v1: on('the data is an export of the first major version') }),
  ...group('Target', {
    timeout: parsed(
      '<duration>',
      'how long the service may work on a request (30m, 1h30m, 90s)',
      readTimeout,
    ),
  }),
  ...bucketOf('let the service fetch the data from this bucket'),
};

export type ImportFlags = Values<typeof importFlags> & { readonly body: string };
export type GcsFlags = Pick<ImportFlags, 'gcs' | 'gcsKey' | 'gcsEndpoint'>;

/** For `export` and `copy`. */
const askedFlags = {
  ...group(
    'Input',
    oneOf({
      org: commas('<id>', 'only this organization (repeatable)'),
      exclude: commas('<id>', 'all but this organization (repeatable)'),
    }),
  ),
  ...group('Target', {
    timeout: parsed(
      '<duration>',
      'how long the service may work on the export (10m, 90s)',
      readTimeout,
      '10m',
    ),
  }),
};

export const exportFlags = {
  ...connectionFlags,
  ...speedFlags,
  ...waitFlags,
  ...askedFlags,
  ...group('Input', {
    withPasswords: on('include password hashes'),
    withOtp: on('include TOTP secrets'),
    splitByOrg: replaces(
      on('export organization by organization (automatic where one answer is too large)'),
      'gcs',
    ),
  }),
  ...group('Output', {
    output: output('where to write the export; - for standard output', './export.json'),
    ...partOf('gcs', { download: on('download it from the bucket afterwards') }),
  }),
  ...bucketOf('let the service write the export to this bucket (older versions)'),
};

export type ExportFlags = Values<typeof exportFlags>;

export const copyFlags = {
  ...group('Input', {
    fromUrl: required(text('<url>', 'address of the instance to copy from')),
    ...oneOf({
      fromTokenFile: text('<file>', 'file with an access token for that instance (IDPORT_FROM_TOKEN)'),
      fromKeyFile: text('<file>', 'key file of a service account there'),
    }),
  }),
  ...group('Target', {
    toUrl: required(text('<url>', 'address of the instance to copy to')),
    ...oneOf({
      toTokenFile: text('<file>', 'file with an access token for that instance (IDPORT_TO_TOKEN)'),
      toKeyFile: text('<file>', 'key file of a service account there'),
    }),
  }),
  ...bulkFlags,
  ...askedFlags,
  ...group('Input', { passwords: off('without password hashes'), otp: off('without TOTP secrets') }),
  ...group('Output', { via: output('file for the export between the two instances', './idport-copy.json') }),
};

export type CopyFlags = Values<typeof copyFlags>;

const idpSecretsFlags = group('Rules', {
  idpSecrets: text(
    '<file>',
    'CSV of alias and client secret, or the word export for those of the export (default: asked for at a terminal, else placeholders)',
  ),
});

const orgThat = (does: string) => ({
  ...orgFlag.org,
  help: `organization that ${does} (default: those of a body, or the only one of the service)`,
});

export const createIdpsFlags = {
  org: orgThat('gets the identity providers'),
  ...realmFlags,
  ...connectionFlags,
  ...idpSecretsFlags,
  ...group('Output', { output: output('CSV of alias and id, for --idp-map (default: next to the input)') }),
  ...journalOf('journal for idport undo (default: next to the input)'),
  ...dryRunFlags,
  ...forceFlags,
};

export const importUsersFlags = {
  org: orgThat('receives the users'),
  ...connectionFlags,
  ...speedFlags,
  ...concurrencyOf('32'),
  ...shardFlags,
  ...appsFlags,
  ...appSecretsFlags,
  ...converting({
    ...partOf('createIdps', idpSecretsFlags),
    ...group('Rules', {
      createIdps: on('first create the identity providers of the source, and link users to them'),
    }),
  }),
  ...group('Input', {
    limit: parsed('<n>', 'import at most N users', wholeNumber()),
    offset: parsed('<n>', 'skip the first N users', wholeNumber()),
    user: commas('<name>', 'only this user (id, user name or email; repeatable)'),
    onlyFailed: text('<report>', 'only users that the report (.json) of a previous run rejected'),
  }),
  ...followFlags,
  ...anyImportFlags,
  ...group('Rules', {
    idPrefix: text('<text>', 'keep ids that are plain numbers, with this text in front (for example wp-)'),
    sendVerification: parsed(
      '[template]',
      'ask the service to email users with an unverified address; optionally the URL template of the link',
      (_flag, template): string | true => template,
    ),
    mutePasswordEmails: on(
      'incremental run: switch off the email about changed passwords until the end of the run',
    ),
    jit: on('login-time migration: users without a password sign in through idport jit'),
  }),
  ...group('Target', {
    api: choice('<version>', 'v1: create users by the older _import call', ['v1', 'auto'], 'auto'),
    maxErrors: parsed('<n|%>', 'stop when more users fail than this number or percentage', readMost),
  }),
  ...idMapOf('CSV of old and new ids (default: next to the journal)'),
  ...firstLoginFlags,
  ...reportFlags,
  ...sourceFlags,
  ...orgFlags,
  ...sentRecordFlags,
  ...duplicatesFlags,
};

export type ImportUsersFlags = Values<typeof importUsersFlags & typeof bodyArgument>;

export const checkFlags = {
  org: orgThat('will receive the users'),
  ...group('Report', {
    pricePerRequest: parsed('<amount>', 'price of one request, to estimate the cost', readDecimal),
    sample: parsed(
      '<n>',
      'print the first N users as they would be sent, with secrets masked',
      wholeNumber(),
    ),
  }),
  ...group('Rules', {
    jit: on('forecast an import-users --jit: users without a password start active'),
  }),
  ...connectionFlags,
  ...waitFlags,
  ...reportFlags,
  ...messageFlags,
  ...sourceFlags,
  ...orgFlags,
  ...recordFlags,
  ...wholeBodyFlags,
};

export type CheckFlags = Values<typeof checkFlags & typeof bodyArgument>;

export const verifyFlags = {
  ...group(
    'Target',
    shared({
      org: commas(
        '<id>',
        'organization to compare (default: those of a body, or the only one of the service)',
      ),
    }),
  ),
  ...connectionFlags,
  ...waitFlags,
  ...shardFlags,
  ...speedFlags,
  ...concurrencyOf('16'),
  ...group('Input', shared({ idMap: text('<file>', 'CSV of old and new ids, from an import') })),
  ...group('Input', {
    loginSample: text('<file>', 'CSV of user,password: each must be able to log in'),
    details: choice(
      '<whom>',
      'compare metadata, links and passwords: of users whose source has them, of all, of none',
      ['source', 'all', 'none'],
      'source',
    ),
    export: off('read the details user by user, never with an export'),
    all: on('also print users who are the same'),
  }),
  ...group('Rules', {
    jit: on('users were imported with import-users --jit'),
    allowExtra: on('accept users who exist only at the target'),
  }),
  ...group('Report', { report: reportOf('user who is not as expected') }),
  ...sourceFlags,
  ...orgFlags,
  ...appsFlags,
  ...recordFlags,
};

export type VerifyFlags = Values<typeof verifyFlags & typeof bodiesArgument>;

export const undoFlags = {
  ...group(
    'Input',
    shared({
      journal: text(
        '<file>',
        'journal of the import (default: at a terminal, asks which run of this folder)',
      ),
    }),
  ),
  ...connectionFlags,
  ...speedFlags,
  ...waitFlags,
  ...lockFlags,
  ...shardFlags,
  ...group('Rules', {
    yes: {
      ...parsed(
        '<count>',
        'confirm how many users to delete; without it, the count is asked for',
        wholeNumber(),
      ),
      once: true as const,
    },
    changed: choice('<rule>', 'users who were changed since the import', ['keep', 'delete'], 'keep'),
    createdOrgs: choice(
      '<rule>',
      'organizations that the import created and that end up empty',
      ['keep', 'delete'],
      'delete',
    ),
  }),
  ...concurrencyOf('16'),
  ...group('Run', { resume: on('continue an interrupted rollback of this journal') }),
  ...group('Report', { report: reportOf('user who is not deleted') }),
};

export type UndoFlags = Values<typeof undoFlags>;
