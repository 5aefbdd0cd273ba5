/** The flags that name the source of the users, made from the table of providers. */
import {
  choice,
  converting,
  each,
  group,
  on,
  parsed,
  required,
  settingName,
  type Table,
  text,
  type Values,
  readRate,
} from '../lib/flag.ts';
import type { Live, PathFlag } from '../sources/entry.ts';
import { keycloakFlags } from '../sources/keycloak/entry.ts';
import { type ExportName, providerNames, providers } from '../sources/providers.ts';

const pathsOf = ({ name, description }: PathFlag): Table => ({ [name]: each('<path...>', description) });

export const tableFlag = {
  table: each('<name=path...>', 'table that the mapping joins: its name in the mapping, and its file'),
};

/** Flags for reading a running system instead of an export. */
const liveFlags = {
  database: {
    database: text(
      '<url>',
      'read the running database instead: postgres://user@host/name or mysql://user@host/name (IDPORT_DATABASE)',
    ),
    databasePasswordFile: text('<file>', 'file with its password; or PGPASSWORD, PGPASSFILE, MYSQL_PWD'),
    databaseRate: parsed('<n/s>', 'maximum rows to read per second, for example 5000/s', readRate),
  },
  directory: {
    directory: text(
      '<url>',
      'read the running directory instead: ldaps://host/dc=example,dc=org (IDPORT_DIRECTORY)',
    ),
    bindDn: text('<dn>', 'entry of the directory to bind as'),
    bindPasswordFile: text('<file>', 'file with its password; or IDPORT_BIND_PASSWORD'),
  },
} satisfies Readonly<Record<Live, Table>>;

export type LiveFlags = Partial<Values<typeof liveFlags.database & typeof liveFlags.directory>>;

/** Flags for an export of Keycloak, or its running database. */
export const realmFlags = group('Input', {
  realm: each('<path...>', providers.keycloak.input.description),
  ...liveFlags.database,
  realmName: keycloakFlags.realmName,
});

/** Returns the tables of flags of a provider, that of its export first. */
function ofProvider(name: ExportName): Table[] {
  const { input, companions, tables, live, flags } = providers[name];
  return [
    ...[input, ...companions].map(pathsOf),
    ...(tables === undefined ? [] : [tableFlag]),
    ...(live === undefined ? [] : [liveFlags[live]]),
    flags,
  ];
}

export const forceFlags = group('Input', {
  forceProvider: on('read a file even if it looks like the export of another provider'),
});

/** Returns the names of all flags that a provider has of its own, as they are typed. */
export const flagsOf = (name: ExportName) =>
  new Set(ofProvider(name).flatMap((table) => Object.keys(table).map(settingName)));

/** Returns the flags of `migrate <provider>`. The export is required unless idport can read the running system. */
export function providerFlags(name: ExportName): object {
  const [input = {}, ...others] = ofProvider(name);
  const isOnly = providers[name].live === undefined;
  const must = Object.fromEntries(
    Object.entries(input).map(([path, flag]) => [path, isOnly ? required(flag) : flag]),
  );
  return group('Input', { ...must, ...Object.assign({}, ...others) } as Table);
}

/** Merges the flags of all providers, which may share a flag such as `--users`. */
function mergeAll(): Table {
  const merged: Record<string, Table[string]> = {};
  for (const [name, flag] of providerNames.flatMap(ofProvider).flatMap((table) => Object.entries(table))) {
    const first = merged[name];
    if (first === undefined) merged[name] = flag;
    else if (!first.help.includes(flag.help))
      merged[name] = { ...first, help: `${first.help}; or ${flag.help}` };
  }
  return merged;
}

/** Returns the flags that only other providers have. */
export function flagsOfOthers(name: ExportName) {
  const own = flagsOf(name);
  return new Set(Object.keys(ofProviders).filter((flag) => !own.has(settingName(flag))));
}

/** Has the type `object`, because each provider reads its own flags, and commands see only the other flags. */
const ofProviders: object = converting(group('Input', mergeAll()));

/** For verbs that take a body, or an export to convert on the fly. */
export const sourceFlags = {
  ...group('Input', {
    from: choice('<provider>', 'source of the export (`idport sources` lists them)', providerNames),
  }),
  ...ofProviders,
  ...forceFlags,
};

export const bodyArgument = { body: text('[body]', 'import body or export') };
export const bodiesArgument = { body: each('[body...]', 'import bodies or exports') };

export type SourceFlags = Values<typeof sourceFlags & typeof bodyArgument>;
