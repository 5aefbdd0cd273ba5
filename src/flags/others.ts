/** The flags of the verbs that neither convert nor write to the service. */
import {
  bool,
  choice,
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
  readDuration,
  readId,
  readRate,
  wholeNumber,
} from '../lib/flag.ts';
import { providerNames } from '../sources/providers.ts';
import { connectionFlags, profileFlags } from './connection.ts';
import { orgFlag, passwordFile, threadsFlags } from './conversion.ts';
import { sourceFlags, tableFlag } from './source.ts';

/** For every verb. */
export const programFlags = {
  ...shared(
    oneOf({ json: on('write events as NDJSON to standard error'), quiet: on('print problems only') }),
  ),
  ...shared({ color: off('no colors (NO_COLOR and FORCE_COLOR work too)') }),
  config: {
    ...text('<file>', 'configuration file (default: idport.config.json, if it exists)'),
    once: true as const,
  },
  printConfig: {
    ...on('print all settings and where each comes from, as JSON; do nothing else'),
    once: true as const,
  },
};

export const files = { files: each('[files...]', 'files or folders of one export') };

export const initFlags = {
  ...group('Input', {
    from: choice(
      '<provider>',
      'source of `idport sources` (default: recognized by its files)',
      providerNames,
    ),
    map: text('<file>', 'mapping of a table of your own (CSV, JSON, SQL dump)'),
    ...tableFlag,
    rehearsal: on(
      'import into a reference server on this machine; --url=http://localhost:8081 chooses another port',
    ),
  }),
  org: { ...orgFlag.org, help: 'organization that receives the users' },
  ...connectionFlags,
  ...profileFlags,
  ...group('Input', {
    environment: on('take credentials from IDPORT_TOKEN or IDPORT_KEY_FILE at each run'),
    offline: on('do not ask the service'),
  }),
  ...group('Output', { force: on('replace an existing idport.config.json') }),
};

export const inspectFlags = {
  ...group('Output', {
    format: choice('<form>', 'output format', ['text', 'markdown', 'json'], 'text'),
    idps: on('list only the identity providers, each with an --idp to fill in'),
  }),
  ...profileFlags,
  ...threadsFlags,
  ...sourceFlags,
};

export const mapArgument = {
  file: required(text('<file>', 'CSV, JSON, JSON lines, SQL dump or LDIF, also gzipped')),
};
export const mapFlags = { table: text('<name>', 'table of the users in an SQL dump') };

export const reportArgument = {
  reports: required(
    each('<report...>', 'report files (.json) of migrate, check, import, import-users, verify, undo'),
  ),
};
export const reportPageFlags = { output: required(output('the page (.html)')) };

export const runsArgument = { folder: text('[folder]', 'where the journals are', '.') };

export const mergeArgument = {
  files: required(
    each(
      '<file...>',
      'names without the shard: x.csv joins x.1-of-4.csv to x.4-of-4.csv; .csv are id maps, .json reports, .ndjson lists of users, others journals',
    ),
  ),
};

export const passwordFlags = {
  body: required(text('<file>', 'import body, also gzipped')),
  user: required(text('<name>', 'user name or id')),
  password: passwordFile,
};

export const profileArgument = {
  profile: required(text('<profile>', 'hosted, self-hosted, all-verifiers, or the path of a profile file')),
};

export const explainArgument = {
  codes: required(each('<codes...>', 'reason codes (password:none) and error ids (COMMAND-ziuna)')),
};

export const demoFlags = oneOf({
  jit: on('show the login-time migration of users whose password hashes cannot move'),
  page: output('keep the report page of the migration (.html)'),
});

export const tokenFlags = {
  ...connectionFlags,
  ...oneOf({
    ...group('Report', { check: on('show the user and the roles of the token') }),
    ...group('Output', {
      output: output('where to write the token, readable by its owner only; - for standard output', '-'),
    }),
  }),
};

export const shellArgument = { shell: required(choice('<shell>', 'which shell', ['bash', 'zsh', 'fish'])) };

export const serveFlags = {
  port: parsed('<port>', 'port to listen on; 0 for any free port', wholeNumber(0, 65_535), '8080'),
  host: text('<address>', 'address to listen on', '127.0.0.1'),
  profile: text('<profile>', 'target profile to behave like: a name or a file', 'hosted'),
  rate: parsed(
    '<rate>',
    'maximum requests per second and address: 50/s, or none (default: the profile)',
    readRate,
  ),
  retryAfter: on('send Retry-After with a 429; the hosted service does not'),
  org: parsed('<id>', 'id of the first organization', readId),
  seed: text('<file>', 'import body to start with; - for standard input'),
  dump: output('on exit, write everything here as an import body for --seed, secrets included'),
  writeKeyFile: output('write a key file of the instance owner here'),
  secondsPerUser: parsed('<seconds>', 'simulated duration of a bulk import per user', readDecimal, '0'),
  cutAfter: parsed(
    '<duration>',
    'cut requests after this time; 0s for never (default: the profile)',
    readDuration,
  ),
  lag: parsed(
    '<duration>',
    'how long lists lag behind writes, as in the service under load',
    readDuration,
    '0s',
  ),
  externalDomain: text('<names>', 'host names to answer to besides local ones, separated by commas'),
  brand: choice('<brand>', 'first word of method names in webhook calls', ['service', 'zitadel'], 'zitadel'),
  allowPrivateTargets: bool(
    'call targets at private addresses (default: if only this machine can connect), or false',
  ),
  actionsFeature: off('answer on /v3alpha that actions are not enabled'),
  storageEndpoint: text('<url>', "storage service to use instead of Google's"),
  control: off('no control interface under /_idport/'),
};

export type DemoFlags = Values<typeof demoFlags>;
export type InitFlags = Values<typeof initFlags & typeof files>;
export type MapFlags = Values<typeof mapFlags & typeof mapArgument>;
export const sourcesArgument = {
  source: choice('[source]', 'only this one', providerNames),
};

export const sourcesFlags = {
  grants: on('print the SQL that lets an account read the database of Keycloak'),
};

export type ServeFlags = Values<typeof serveFlags>;
