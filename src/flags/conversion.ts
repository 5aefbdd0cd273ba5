/** The flags of conversions: `migrate`, and the verbs that convert on the fly. */
import {
  partOf,
  bool,
  choice,
  commas,
  converting,
  each,
  group,
  on,
  output,
  parsed,
  reportOf,
  shared,
  text,
  type Values,
  readId,
  readProject,
  readTimeout,
  readMost,
  wholeNumber,
  readLimit,
} from '../lib/flag.ts';
import { profileFlags } from './connection.ts';

const mailListFlags = group('Report', {
  mailList: output('write a CSV of the users who will get an email or an SMS, and why'),
});

export const messageFlags = {
  ...group(
    'Rules',
    shared({
      maxEmails: parsed('<n>', 'maximum emails that the service may send, or unlimited', readLimit, '0'),
      maxSms: parsed('<n>', 'maximum SMS that the service may send, or unlimited', readLimit, '0'),
    }),
  ),
  ...mailListFlags,
};

export const phoneFlags = group(
  'Rules',
  shared({
    phone: choice(
      '<rule>',
      'phone numbers that are not verified: the bulk import and --api=v1 send an SMS',
      ['keep', 'assume-verified', 'drop'],
      'keep',
    ),
  }),
);

export const idpFlags = group(
  'Rules',
  shared({
    idp: commas(
      '<alias=configId>',
      'identity provider in the source and its id in the target, for linked logins',
    ),
    idpMap: text('<file>', 'CSV of identity providers, as create-idps writes it: alias, id in the target'),
  }),
);

const plainPasswords = 'passwords in plain text';

/** Flags that say which parts of a user are migrated, and how. */
export const recordFlags = {
  ...phoneFlags,
  // A body has links as well.
  ...idpFlags,
  ...converting(
    group('Rules', {
      nameFallback: choice(
        '<rule>',
        'replacement for a missing first or last name (default: depends on the source)',
        ['username', 'email-local', 'dash', 'full-name', 'skip'],
      ),
      emailFallback: choice('<rule>', 'users without an email', ['skip', 'username', 'placeholder'], 'skip'),
      emailDomain: text('<domain>', 'domain of placeholder addresses'),
      emailVerified: bool(
        'treat every email as verified, so that the service sends no verification email; or false',
      ),
      defaultRegion: text('<country>', 'country of phone numbers without a country code (CH, US, ...)'),
      disabled: choice('<rule>', 'disabled users', ['keep', 'skip', 'active'], 'keep'),
      metadata: choice(
        '<what>',
        'custom attributes to migrate as metadata',
        ['none', 'attributes', 'all'],
        'none',
      ),
      pbkdf2Encoding: choice('<form>', 'base64 of PBKDF2 hashes', ['padded', 'ab64'], 'padded'),
    }),
  ),
  ...group('Rules', {
    withoutPassword: choice('<rule>', 'users without a usable password hash', ['import', 'skip'], 'import'),
    plainPasswords: choice('<rule>', plainPasswords, ['hash', 'skip'], 'hash'),
    onRefusedHash: choice(
      '<rule>',
      'password hashes that the target would refuse (default: drop; keep without --target-profile)',
      ['drop', 'keep', 'skip', 'fail'],
    ),
  }),
  ...profileFlags,
};

/** Flags of `import-users`, which can also send passwords in plain text. */
export const sentRecordFlags = {
  ...recordFlags,
  ...group('Rules', {
    plainPasswords: choice('<rule>', plainPasswords, ['hash', 'send', 'skip'], 'hash'),
  }),
};

export type RecordFlags = Values<typeof sentRecordFlags>;
export type IdpMapFlags = Values<typeof idpFlags>;

const duplicates = 'second user with the same user name';

/** For verbs without `suffix`, because only a conversion renames users. */
export const duplicatesFlags = group('Rules', {
  duplicates: choice('<rule>', duplicates, ['reject', 'keep'], 'reject'),
});

export const threadsFlags = group(
  'Output',
  shared({
    threads: parsed(
      '<n>',
      'worker threads (default: 1, or 2 for a large input on two or more cores)',
      wholeNumber(1, 64),
    ),
  }),
);

/** For verbs that write or judge a whole body. */
export const wholeBodyFlags = {
  ...group('Rules', {
    duplicates: choice('<rule>', duplicates, ['reject', 'keep', 'suffix'], 'reject'),
    route: choice(
      '<verb>',
      'the import that will follow; it decides who can sign in and who gets an email',
      ['import-users', 'import'],
      'import-users',
    ),
    maxWithoutPassword: parsed(
      '<n|%>',
      'maximum users without a password hash, or their percentage; more end with exit code 4',
      readMost,
    ),
  }),
  ...threadsFlags,
};

/** For users whose password hash the target refuses. */
export const firstLoginFlags = converting(
  group('Output', {
    jitList: output('list users for idport jit: those whose password hash the target refuses, with the hash'),
    ...partOf('jitList', {
      jitPlaceholder: on(
        'also list users without a hash, and give all on the list a placeholder password, which no user knows: the login pages of the service (Login V2) ask only users who have one',
      ),
    }),
  }),
);

export type FirstLoginFlags = Values<typeof firstLoginFlags>;

/** Flags for reports on records that need attention. */
export const reportFlags = group('Report', {
  report: reportOf('record that needs attention'),
  rejects: output('write rejected records of a source as NDJSON: fix them, then convert that file'),
});

export type ReportFlags = Values<typeof reportFlags>;

/** Flags that say which organization a user goes to. Without `--org-by`, all users go to `--org`. */
export const orgFlags = converting(
  group('Target', {
    orgBy: text(
      '<rule>',
      'several organizations: realm, organization, domain, group:/customers/*, attribute:tenant or column:tenant_id; users without one go to --org',
    ),
    ...partOf('orgBy', {
      orgMap: text('<file>', 'CSV with --org-by: key in the source, id of the organization'),
      createOrgs: on('with --org-by: create the organizations that --org-map does not name'),
      memberships: each(
        '<path...>',
        'members of organizations as Auth0, Clerk, WorkOS and Logto list them, for --org-by=organization',
      ),
    }),
  }),
);

/** Flags that make roles of the source roles of a project. */
const roleFlags = group('Target', {
  ...partOf('orgBy', {
    furtherMemberships: choice(
      '<what>',
      "what to do with a user's organizations after the first: name them in the report, or make user grants of the project of --roles",
      ['report', 'grants'],
      'report',
    ),
  }),
  roles: parsed(
    '<project>',
    'migrate roles and groups as roles of a project of --org, with user grants: project:<id>, or new:<name>',
    readProject,
  ),
  ...partOf('roles', {
    roleMap: text(
      '<file>',
      'CSV with --roles: key in the source, key at the target; an empty one leaves the role out',
    ),
    roleMembers: each(
      '<path...>',
      'roles and permissions of users as Auth0 and others list them, for --roles',
    ),
  }),
});

/** Flags that make clients of the source applications of a project. */
export const appsFlags = converting(
  group('Target', {
    apps: parsed(
      '<project>',
      'migrate clients as applications of a project of --org: project:<id>, or new:<name>',
      readProject,
    ),
  }),
);

export type AppFlags = Values<typeof appsFlags>;

export const appSecretsFlags = group('Report', {
  appSecrets: output('private NDJSON: the new client id and secret of each application'),
});

export const orgFlag = group(
  'Target',
  shared({
    org: parsed(
      '<id>',
      'organization that receives the users (default: the only one of the service)',
      readId,
    ),
  }),
);

/** The file of a password that is checked against a hash. */
export const passwordFile = text(
  '<file>',
  'read the password from a file; - for standard input (default: ask on the terminal)',
);

/** Flags of `migrate` for any source. */
export const migrateFlags = {
  ...orgFlag,
  ...group('Output', {
    output: {
      ...output('where to write the import body; - for standard output', './importBody.json'),
      value: '<path>',
    },
    multiline: on('indent the body'),
  }),
  ...group('Target', {
    timeout: parsed(
      '<duration>',
      'how long the service may work on the import (30m, 1h30m, 90s)',
      readTimeout,
      '30m',
    ),
  }),
  ...group('Report', {
    prove: text(
      '<user>',
      'ask for the password of this user and check that the converted hash accepts it (else exit code 4)',
    ),
    ...partOf('prove', {
      provePassword: passwordFile,
    }),
  }),
  ...firstLoginFlags,
  ...reportFlags,
  ...orgFlags,
  ...roleFlags,
  ...appsFlags,
  ...recordFlags,
  ...wholeBodyFlags,
  ...mailListFlags,
};

export type MigrateValues = Values<typeof migrateFlags>;

export type OrgFlags = Values<typeof orgFlags> & Partial<Pick<MigrateValues, 'furtherMemberships'>>;
export type RoleFlags = Values<typeof roleFlags>;
