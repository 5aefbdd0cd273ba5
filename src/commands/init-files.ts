/** Makes the files and lines that `idport init` writes. */
import type { ConnectionFlags } from '../flags/connection.ts';
import { type ExportName, providers } from '../sources/providers.ts';

export interface Setup {
  readonly provider: ExportName;
  /** Paths by the flag of `migrate` that takes them. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly map?: string | undefined;
  /** The mapping is a draft that the user has not checked yet. */
  readonly isDraft: boolean;
  readonly isRehearsal: boolean;
  readonly url: string;
  readonly org: string;
  readonly profile: string;
  readonly credentials: Pick<ConnectionFlags, 'tokenFile' | 'keyFile'>;
}

export const rehearsal = {
  url: 'http://localhost:8080',
  org: '1',
  profile: 'hosted',
  credentials: { keyFile: 'secrets/rehearsal-key.json' },
} as const;

/** Report of each step, for `idport report`. */
const reports = {
  migrate: 'migrate.json',
  check: 'check.json',
  import: 'import.json',
  verify: 'verify.json',
};
const page = 'cutover.html';

/** Returns the text of idport.config.json. `schema` is the path of its schema, if installed. */
export function configText(setup: Setup, schema: string | undefined) {
  const { provider, files, map, url, org, profile } = setup;
  const { tokenFile, keyFile } = setup.credentials;
  const credentials = { 'token-file': tokenFile, 'key-file': keyFile };
  const config = {
    $schema: schema,
    shared: { url, ...credentials, org, 'target-profile': profile },
    verbs: {
      [`migrate ${provider}`]: {
        ...files,
        map,
        report: reports.migrate,
        rejects: 'rejects.ndjson',
        'mail-list': 'emails.csv',
      },
      check: { report: reports.check },
      'import-users': { report: reports.import },
      verify: { report: reports.verify },
      undo: { report: 'undo.json' },
      ...(setup.isRehearsal && {
        serve: { port: Number(new URL(url).port), profile, org, 'write-key-file': keyFile },
      }),
    },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Returns the files that must not be committed, since they hold credentials, hashes or addresses of users. */
export function ignoredBy({ files, credentials }: Setup) {
  const exports = Object.entries(files)
    .flatMap(([flag, paths]) => (flag === 'table' ? paths.map((pair) => pair.replace(/^[^=]*=/, '')) : paths))
    .filter((path) => path !== '-');
  const outputs = [
    'importBody.json',
    'rejects.ndjson',
    'emails.csv',
    'jit.ndjson',
    'logins.csv',
    ...Object.values(reports),
    'undo.json',
    page,
  ];
  const written = [...outputs, '*.journal', '*.journal.*', '*.ids.csv'];
  const inside = [...exports, ...Object.values(credentials).flatMap((path) => path ?? [])].filter(
    (path) => !/^(?:[/\\]|[A-Za-z]:|\.\.|secrets\/)/.test(path),
  );
  return [...new Set(['secrets/', ...inside.map((path) => path.replace(/^\.[/\\]/, '')), ...written])];
}

/** Adds the lines that the text of a .gitignore lacks. */
export function extendIgnore(text: string, lines: readonly string[]) {
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return text;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${before}# idport: secrets, and files with data of users\n${missing.join('\n')}\n`;
}

/** Returns the commands to type, in this order. */
export function nextCommands({ provider, isRehearsal }: Setup) {
  const jit = providers[provider].jit === undefined ? '' : ' --jit';
  const start = [`idport migrate ${provider}`, 'idport check importBody.json'];
  if (!isRehearsal) return [...start, `idport import-users importBody.json${jit} --dry-run`];
  return [
    ...start,
    `idport import-users importBody.json${jit}`,
    `idport verify importBody.json${jit}`,
    `idport report ${Object.values(reports).join(' ')} --output=${page}`,
    'idport undo --journal=importBody.json.users.journal',
  ];
}

/** Returns advice for a source whose password hashes cannot move. */
export function adviseJit({ provider }: Setup) {
  const { title, jit } = providers[provider];
  if (jit === undefined) return [];
  return [
    '',
    `${title} itself exports no password hash that can move. With --jit users keep their passwords all the same: idport jit`,
    `checks the old one at the first login (verifier ${jit.split(' ', 1).join('')}; docs/jit.md).`,
    'The login pages of the service (Login V2) need more: add --jit-list=jit.ndjson --jit-placeholder to migrate.',
  ];
}
