/** Sources that a mapping describes: one of the user's own, or a built-in one. */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Provider, SharedOptions } from '../source.ts';
import { builtIn } from './built-in.ts';
import { defaultMapping } from './default-mapping.ts';
import { generic, type TableFlags } from './entry.ts';
import { checkAlterations, secretFiles } from './mapping/password.ts';
import { readMapping, withMappingName } from './mapping/read.ts';
import { createReader } from './mapping/reader.ts';
import type { Mapping } from './mapping/schema.ts';
import { createStored } from './mapping/stored.ts';
import type { TableOptions } from './options.ts';
import { mappingText } from './print.ts';
import { scanTables } from './scan.ts';

export function tableProvider(name: string): Provider<TableOptions, unknown> {
  return {
    name,
    title: { ...generic, ...builtIn }[name as keyof typeof generic].title,
    readOptions: (flags: TableFlags, shared) => readOptions(name, flags, shared),
    choose: chooseFiles,
    scan: (inputs, options, notify, { companions } = {}) => scanTables(inputs, options, notify, companions),
    reader: createReader,
    stored: createStored,
  };
}

async function readOptions(name: string, flags: TableFlags, shared: SharedOptions): Promise<TableOptions> {
  const { user, plaintext, pbkdf2Encoding, now } = shared;
  const isOwnMapping = flags.map !== undefined;
  const mapping = isOwnMapping
    ? await readMapping(Buffer.from(shared.readFile(flags.map)).toString('utf8'), flags.map)
    : await builtInMapping(name);
  const mappingName = flags.map ?? name;
  const options: TableOptions = {
    ...user,
    mapping: { ...mapping, name: mapping.name ?? name },
    mappingName,
    isOwnMapping,
    emailVerified: checkEmailVerified(flags.emailVerified),
    plaintext,
    pbkdf2Encoding,
    secrets: readSecrets(mapping, shared),
    now,
  };
  // Compiled here for what is wrong with it: every thread compiles its own.
  withMappingName(mappingName, () => {
    if (isOwnMapping && mapping.password !== undefined) checkAlterations(mapping.password);
    createReader(options);
  });
  return options;
}

async function builtInMapping(name: string): Promise<Mapping> {
  if (Object.hasOwn(generic, name) && name !== 'ldif') return defaultMapping;
  return readMapping(await mappingText(name), name);
}

/** A newline at the end of a file is not part of the secret. */
function readSecrets(
  { password }: Mapping,
  { readFile }: SharedOptions,
): Readonly<Record<string, Uint8Array>> {
  const files = password === undefined ? [] : secretFiles(password);
  return Object.fromEntries(
    files.map((file) => {
      const text = Buffer.from(readFile(file))
        .toString('latin1')
        .replace(/\r?\n$/, '');
      return [file, new Uint8Array(Buffer.from(text, 'latin1'))];
    }),
  );
}

function checkEmailVerified(value: boolean | string | undefined): boolean | undefined {
  if (typeof value !== 'string') return value;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`--email-verified=${value} is neither true nor false`, {
    hint: 'Leave the flag out to take what the mapping says of each.',
  });
}

const dataFiles = new Set([
  '.json',
  '.ndjson',
  '.jsonl',
  '.csv',
  '.tsv',
  '.txt',
  '.sql',
  '.ldif',
  '.yaml',
  '.yml',
  '.gz',
]);

/** Pages or parts of an export, in the order of their numbers. */
function chooseFiles(folder: string, names: readonly string[]): readonly string[] {
  const chosen = names.filter((name) => dataFiles.has(extname(name).toLowerCase()));
  if (chosen.length === 0) {
    throw new UsageError(`${folder}: the folder holds no export of users`, {
      hint: `Expected files that end in ${[...dataFiles].join(', ')}.`,
    });
  }
  return chosen.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}
