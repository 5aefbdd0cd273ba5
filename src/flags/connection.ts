/** The flags of verbs that talk to the service. */
import {
  partOf,
  replaces,
  choice,
  each,
  group,
  on,
  oneOf,
  parsed,
  shared,
  text,
  type Values,
  readDuration,
  readRate,
  wholeNumber,
} from '../lib/flag.ts';

const tokenFile = text(
  '<file>',
  'file with an access token, - for standard input; or set a variable to the token (IDPORT_TOKEN)',
);
const keyFile = text(
  '<file>',
  'key file of a service account, or a JSON file with its clientId and clientSecret (IDPORT_KEY_FILE)',
);

/** Address and credentials. */
export const connectionFlags = {
  ...group('Target', shared({ url: text('<url>', 'address of the service (IDPORT_URL)') })),
  ...group('Target', oneOf(shared({ tokenFile, keyFile }))),
};

export type ConnectionFlags = Values<typeof connectionFlags>;

/** For verbs that choose between the interfaces for actions. */
export const serviceFlags = {
  ...connectionFlags,
  api: choice(
    '<generation>',
    'interface of the service; auto asks the newest first',
    ['auto', 'v2', 'v3alpha'],
    'auto',
  ),
};

export type ServiceFlags = Values<typeof serviceFlags>;

export const profileFlags = group(
  'Target',
  shared({
    targetProfile: text(
      '<name|file>',
      'what the target accepts (default: hosted for the hosted service and init --rehearsal, that of idport serve, else self-hosted)',
    ),
  }),
);

/** For verbs that send many requests. */
export const speedFlags = {
  ...group(
    'Target',
    shared({
      rate: parsed(
        '<n/s>',
        'maximum requests per second (45/s, 600/m, unlimited); default: the target profile',
        readRate,
      ),
      budget: parsed('<n>', 'stop after N requests', wholeNumber(1)),
    }),
  ),
  ...profileFlags,
};

export type SpeedFlags = Values<typeof speedFlags>;

export const concurrencyOf = (preset: string) =>
  group(
    'Target',
    shared({ concurrency: parsed('<n>', 'maximum concurrent requests', wholeNumber(1, 1000), preset) }),
  );

/** For verbs that look users up after writing. */
export const waitFlags = group('Target', {
  wait: parsed(
    '<duration>',
    'how long to wait until the service lists its latest users (10m, 90s)',
    readDuration,
    '10m',
  ),
});

/** For verbs that several processes share. */
export const shardFlags = {
  ...group('Input', {
    shard: text(
      '<i/n>',
      'one of n processes that share the users: 1/4 to 4/4, or auto/4 in a Kubernetes Indexed Job',
    ),
  }),
  ...group(
    'Target',
    shared({
      rateStore: text(
        '<url>',
        'Redis or Valkey that keeps one rate for all shards: redis://..., or IDPORT_RATE_STORE',
      ),
    }),
  ),
};

export type ShardFlags = Values<typeof shardFlags>;

/** For verbs with a journal. */
export const lockFlags = group('Run', {
  stealLock: on('take over the journal of a dead run without waiting, also from another machine'),
});

/** For verbs whose output a program may read. */
export const formatFlags = group('Output', {
  format: choice('<form>', 'output format', ['text', 'json'], 'text'),
});

/** For incremental runs. */
export const sinceFlags = group('Input', {
  sinceJournal: replaces(
    each('<file>', 'incremental run: only users who are new or changed since that run (repeatable)'),
    'gcs',
  ),
});

/** For incremental runs that also follow deletions. */
export const followFlags = {
  ...sinceFlags,
  ...partOf(
    'sinceJournal',
    group('Input', {
      deleted: choice(
        '<rule>',
        'with --since-journal: users who were deleted in the source since (default: report)',
        ['report', 'deactivate', 'delete'],
      ),
    }),
  ),
};
