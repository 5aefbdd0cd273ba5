/** Sources that a mapping describes: the user's own, and built-in ones. */
import { isObject } from '../../lib/json-value.ts';
import { isRefused } from '../../records/hash-forms/form.ts';
import type { StoredHash } from '../../records/hash-forms/explain-mismatch.ts';
import { furtherRowsOf } from '../raw-record.ts';
import { chooseByEnding, type Provider, type SharedOptions } from '../source.ts';
import { defaultMapping, builtInMapping } from './built-in-mappings.ts';
import { openLiveEntries, openLiveTables } from './live.ts';
import { checkAlterations, compileStored, secretFiles } from './mapping/password.ts';
import { rowScope, withMappingName } from './mapping/paths.ts';
import { createReader } from './mapping/reader.ts';
import type { Mapping, TableOptions } from './mapping/schema.ts';
import type { TableFlags } from './entry.ts';
import { scanTables } from './scan.ts';

export function tableProvider(name: string): Provider<TableOptions, unknown> {
  return {
    readOptions: (flags: TableFlags, shared) => readTableOptions(name, flags, shared),
    choose: (folder, names) => chooseByEnding(folder, names, dataFiles),
    scan: scanTables,
    openDatabase: openLiveTables,
    openDirectory: openLiveEntries,
    reader: createReader,
    stored: createStored,
  };
}

export async function readTableOptions(name: string, flags: Pick<TableFlags, 'map'>, shared: SharedOptions) {
  const { user, plaintext, pbkdf2Encoding, now } = shared;
  const isOwnMapping = flags.map !== undefined;
  const mapping = await loadMapping(name, flags, shared);
  const mappingName = flags.map ?? name;
  const options: TableOptions = {
    ...user,
    mapping: { ...mapping, name: mapping.name ?? name },
    mappingName,
    isOwnMapping,
    plaintext,
    pbkdf2Encoding,
    secrets: readSecrets(mapping, shared),
    now,
  };
  // Compiled here only to find errors in it. Every thread compiles it again.
  withMappingName(mappingName, () => {
    if (isOwnMapping && mapping.password !== undefined) checkAlterations(mapping.password);
    createReader(options);
  });
  return options;
}

async function loadMapping(name: string, { map }: Pick<TableFlags, 'map'>, shared: SharedOptions) {
  if (map === undefined) return (await builtInMapping(name)) ?? defaultMapping;
  // The schema takes memory that threads do not need.
  const { readMapping } = await import('./mapping/read.ts');
  return readMapping(Buffer.from(shared.readFile(map)).toString('utf8'), map);
}

/** Reads the secret files. A newline at the end of a file is not part of the secret. */
function readSecrets({ password }: Mapping, { readFile }: SharedOptions) {
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

/** Returns a function that reads what a row stores as its password, to explain why a converted hash does not match it. */
function createStored({ mapping, now, secrets }: TableOptions): (row: unknown) => StoredHash {
  if (mapping.password === undefined) return () => ({});
  const setting = { now, columns: [] };
  const read = compileStored(mapping.password, setting, secrets);
  return (row) => {
    if (!isObject(row)) return {};
    const found = [row, ...furtherRowsOf(row)].map((one) => read(rowScope(one)));
    return found.find(({ decoded }) => decoded !== undefined && !isRefused(decoded)) ?? found[0]!;
  };
}

const dataFiles = '.json .ndjson .jsonl .csv .tsv .txt .sql .ldif .yaml .yml .gz'.split(' ');
