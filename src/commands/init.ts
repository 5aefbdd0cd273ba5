/**
 * `idport init`: asks for what a migration needs, or takes it from flags, writes the configuration, prints the next
 * commands.
 */
import { note } from '../events.ts';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';
import { parseBase } from '../api/url.ts';
import { nameWithId } from '../lib/format.ts';
import { IdportError, UsageError } from '../errors.ts';
import { lookAtTarget, type SeenTarget } from '../flows/preflight/who-am-i.ts';
import type { Dialog } from '../lib/dialog.ts';
import { type ExportName, providerNames, providers } from '../sources/providers.ts';
import { describeSource } from '../sources/recognise.ts';
import { print } from '../storage/stream-sink.ts';
import { lineWidth, wrap } from '../terminal/text.ts';
import { connect, failFast, readToken } from './connect.ts';
import { chooseProfile } from './service-limits.ts';
import type { InitFlags } from '../flags/others.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { takeOnly } from './choose-org.ts';
import {
  askPath,
  chooseFiles,
  lookAtFile,
  providerOf,
  unknownSystem,
  filesGivenAs,
  formOf,
  orUndefined,
} from './find-exports.ts';
import {
  adviseJit,
  configText,
  extendIgnore,
  ignoredBy,
  nextCommands,
  rehearsal,
  type Setup,
} from './init-files.ts';
import { readText } from './read-text.ts';
import { unmapped, builtInMapping } from '../sources/table/built-in-mappings.ts';
import { readMapping } from '../sources/table/mapping/read.ts';
import type { Mapping } from '../sources/table/mapping/schema.ts';
import { draftText } from './map.ts';

const configName = 'idport.config.json';
const ignoreName = '.gitignore';

export const init: CommandOf<InitFlags> = async (flags, context) => {
  const dialog = await context.dialog?.();
  await refuseExisting(flags, dialog, context.cwd);
  const { files: named = [] } = flags;
  if (named.length === 0 && dialog === undefined)
    throw missing('the export of the source', 'its files, as in idport init realm.json');
  const paths =
    named.length === 0 ? [await askPath('Path of the export of the old system', dialog!, context)] : named;
  const provider = await chooseProvider(flags.from, paths, dialog, context);
  const found = await chooseFiles(provider, paths, dialog, context);
  const [users = ''] = found[providers[provider].input.name] ?? [];
  const map = await chooseMap(provider, flags.map, users, context);
  const given = [...(found['table'] ?? []), ...(flags.table ?? [])];
  const mapping = await mappingOf(provider, map, context);
  const table = await chooseTables({ provider, mapping, given, users }, context);
  const files = table.length === 0 ? found : { ...found, table };
  const target = await chooseTarget(flags, dialog, context);
  const isDraft = map.text !== undefined;
  const setup = { provider, files, map: map.path, isDraft, ...target.setup };
  const ignore = existsSync(join(context.cwd, ignoreName)) ? readText(ignoreName, context.cwd) : '';
  mkdirSync(join(context.cwd, 'secrets'), { recursive: true, mode: 0o700 });
  if (map.path !== undefined && map.text !== undefined) await context.outputs.save(map.path, map.text);
  if (target.token !== undefined) await context.outputs.save(tokenPath, `${target.token}\n`);
  await writeFiles(setup, ignore, context);
  const { columns } = context.stdout as { readonly columns?: number };
  // A command stays on one line, so that it can be copied.
  const lines = describe(setup, context).flatMap((line) =>
    line.startsWith('  ') ? line : wrap(line, lineWidth(columns)),
  );
  await print(context.stdout, `${lines.join('\n')}\n`);
};

async function refuseExisting({ force }: InitFlags, dialog: Dialog | undefined, cwd: string) {
  if (force || !existsSync(join(cwd, configName))) return;
  if (dialog !== undefined && (await dialog.confirm(`${configName} exists. Replace it?`))) return;
  throw new UsageError(`${configName} exists already`, 'Pass --force to replace it.');
}

function missing(what: string, flag: string) {
  return new UsageError(`${what} is missing`, `Pass ${flag}; at a terminal, idport init asks for it.`);
}

/** Returns the provider of --from, else the one that the file shows, else asks. */
async function chooseProvider(
  from: ExportName | undefined,
  files: readonly string[],
  dialog: Dialog | undefined,
  context: CommandContext,
) {
  const found = await lookAtFile(files[0] ?? '', context);
  if (from !== undefined) return from;
  if (found !== undefined) {
    const provider = providerOf(found, files[0] ?? '');
    dialog?.say(`${files[0]} is ${describeSource(provider)}.`);
    return provider;
  }
  if (dialog === undefined) throw unknownSystem(files[0] ?? '', 'Name it with --from.');
  const choices = providerNames.map((value) => ({ value, label: providers[value].title }));
  return (await dialog.choose('Which provider is it an export of?', choices)) as ExportName;
}

async function chooseTarget(flags: InitFlags, dialog: Dialog | undefined, context: CommandContext) {
  const isRehearsal = flags.rehearsal || (flags.url === undefined && (await asksRehearsal(dialog)));
  if (isRehearsal) {
    const url = rehearsalUrl(flags);
    const profile = flags.targetProfile ?? (await askProfile(dialog));
    return { setup: { ...rehearsal, isRehearsal, url, profile }, token: undefined };
  }
  const url = parseBase(flags.url ?? (await askUrl(dialog)));
  const chosen = await chooseCredentials(flags, dialog, context);
  const { credentials, token } = chosen;
  const seen = flags.offline ? undefined : await look(url, chosen, dialog, context);
  const org = flags.org ?? (await askOrg(url, seen, dialog, context));
  const { name } = await chooseProfile({ ...flags, url }, context, false);
  const profile = flags.targetProfile ?? name;
  return { setup: { isRehearsal, url, org, profile, credentials }, token };
}

/** Returns the address of the reference server. Throws `UsageError` for the address of another machine. */
function rehearsalUrl({ url = rehearsal.url }: InitFlags) {
  if (!/^http:\/\/localhost:\d+\/?$/.test(url)) {
    throw new UsageError(
      `--rehearsal starts a server on this machine, not at ${url}`,
      'Leave out --url, or give another port: --url=http://localhost:8081.',
    );
  }
  return parseBase(url);
}

/** Asks for the profile of a rehearsal. Without a terminal it is `hosted`, and the text on standard output says so. */
async function askProfile(dialog: Dialog | undefined) {
  const answer = await dialog?.choose('Which service do you rehearse for?', [
    { value: 'hosted', label: 'the hosted service' },
    { value: 'self-hosted', label: 'a service that you host, with its default settings' },
  ]);
  return answer ?? rehearsal.profile;
}

async function asksRehearsal(dialog: Dialog | undefined) {
  const answer = await dialog?.choose('Where should the users go?', [
    { value: 'rehearsal', label: 'a rehearsal: a reference server on this machine' },
    { value: 'service', label: 'a service' },
  ]);
  return answer === 'rehearsal';
}

function askUrl(dialog: Dialog | undefined) {
  if (dialog === undefined) throw missing('the target', '--url=<url>, or --rehearsal');
  return dialog.text('Address of the service', {
    initial: 'https://',
    check: (url) =>
      /^https?:/.test(url) && URL.canParse(url) ? undefined : 'Write it as https://example.zitadel.cloud.',
  });
}

const tokenPath = 'secrets/token.txt';

/** Credentials for the configuration, and a token to write to a file. */
interface Chosen extends Pick<Setup, 'credentials'> {
  readonly token?: string;
}

async function chooseCredentials(
  { keyFile, tokenFile, environment }: InitFlags,
  dialog: Dialog | undefined,
  context: CommandContext,
): Promise<Chosen> {
  const kept = { credentials: { tokenFile: tokenPath } };
  if (keyFile !== undefined) return { credentials: { keyFile } };
  if (tokenFile === '-') return { ...kept, token: await readToken(context) };
  if (tokenFile !== undefined) return { credentials: { tokenFile } };
  if (environment) return { credentials: {} };
  if (dialog === undefined)
    throw missing('the kind of credentials', '--key-file, --token-file or --environment');
  const kind = await dialog.choose('Which credentials do you have?', [
    {
      value: 'keyFile',
      label: 'the key file of a service account, or a file with its client id and secret',
    },
    { value: 'token', label: `an access token, to be kept in ${tokenPath}` },
    { value: 'tokenFile', label: 'a file with an access token' },
    { value: 'environment', label: 'a variable at each run: IDPORT_TOKEN or IDPORT_KEY_FILE' },
  ]);
  if (kind === 'token') return { ...kept, token: await dialog.secret('The token') };
  if (kind === 'environment') return { credentials: {} };
  return { credentials: { [kind]: await askPath('Path of the file', dialog, context) } };
}

/** Returns what the service shows. Undefined if it cannot be reached and the user continues anyway. */
async function look(
  url: string,
  { credentials, token }: Chosen,
  dialog: Dialog | undefined,
  context: CommandContext,
) {
  const files = token === undefined ? credentials : {};
  const env = token === undefined ? context.env : { ...context.env, IDPORT_TOKEN: token };
  try {
    const client = await connect({ ...files, url }, { ...context, env }, failFast);
    const seen = await lookAtTarget(client);
    const { userName, roles } = seen.identity;
    const held = roles.flatMap(({ where, roles: names }) => names.map((name) => `${name} in ${where}`));
    const text = `${client.url} answers; the credentials are those of ${userName}: ${held.join(', ') || 'no role'}`;
    if (dialog === undefined) context.emit(note('target:reached', text));
    else dialog.say(text);
    return seen;
  } catch (error) {
    if (dialog === undefined || !(error instanceof IdportError)) throw error;
    dialog.say(error.message);
    if (await dialog.confirm('Continue anyway?')) return undefined;
    throw error;
  }
}

async function askOrg(
  url: string,
  seen: SeenTarget | undefined,
  dialog: Dialog | undefined,
  context: CommandContext,
) {
  const orgs = seen?.orgs ?? [];
  if (dialog === undefined && seen !== undefined) return takeOnly(orgs, url, context);
  if (dialog === undefined) throw missing('the organization', '--org=<id>');
  const question = 'Which organization receives the users?';
  if (orgs.length === 0) {
    const check = (id: string) =>
      id.trim() === '' ? 'Give an id, for example 165617389845094785.' : undefined;
    return dialog.text(`${question} (its id)`, { check });
  }
  return dialog.choose(
    question,
    orgs.map(({ id, name }) => ({ value: id, label: nameWithId(name, id) })),
  );
}

/** `ignore` is the present text of .gitignore. */
async function writeFiles(setup: Setup, ignore: string, { cwd, outputs }: CommandContext) {
  const schema = './node_modules/idport/schema/idport.config.schema.json';
  const text = configText(setup, existsSync(resolve(cwd, schema)) ? schema : undefined);
  await outputs.save(configName, text);
  const extended = extendIgnore(ignore, ignoredBy(setup));
  if (extended !== ignore) await outputs.save(ignoreName, extended);
}

function describe(setup: Setup, { env }: CommandContext) {
  const typed = (command: string) => `  ${env['npm_command'] === 'exec' ? 'npx ' : ''}${command}`;
  const start = setup.isRehearsal
    ? [
        'Start the reference server in a second terminal, in this folder:',
        typed('idport serve'),
        `It takes the password hashes that a ${setup.profile} target takes.`,
        `For another target or port, run init again with --force --target-profile=${setup.profile === 'hosted' ? 'self-hosted' : 'hosted'} or --url=http://localhost:8081.`,
        '',
      ]
    : [];
  const { table = [] } = setup.files;
  const joined = table.length === 0 ? [] : [`Tables that are joined: ${table.join(', ')}`, ''];
  const drafted = setup.isDraft ? [`Look at ${setup.map}: it says how idport reads each column.`, ''] : [];
  const written = [configName, ignoreName, ...(setup.isDraft ? [setup.map] : [])];
  const next = ['Next:', ...nextCommands(setup).map(typed), ...adviseJit(setup)];
  return [`Written: ${written.join(', ')}`, '', ...joined, ...drafted, ...start, ...next];
}

const drafted = 'mapping.yaml';

interface ChosenMap {
  /** Undefined if no mapping is needed. */
  readonly path: string | undefined;
  /** Text of a draft, to be written to `path`. */
  readonly text?: string;
}

/** Returns the named mapping. Without one, drafts the mapping of a table of the user's own. */
async function chooseMap(
  provider: ExportName,
  named: string | undefined,
  users: string,
  context: CommandContext,
): Promise<ChosenMap> {
  if (named !== undefined || !unmapped.has(provider)) return { path: named };
  if (existsSync(resolve(context.cwd, drafted))) {
    throw new UsageError(`${drafted} exists already`, `Use it with --map=${drafted}, or remove it.`);
  }
  return { path: drafted, text: await draftText({ file: users }, context) };
}

interface TableChoice {
  readonly provider: ExportName;
  readonly mapping: Mapping | undefined;
  /** Named files of tables, as `name=path`. */
  readonly given: readonly string[];
  /** Path of the file of users. */
  readonly users: string;
}

/** Returns `name=path` of each joined table: the given ones, and files next to the users. */
async function chooseTables({ provider, mapping, given, users }: TableChoice, context: CommandContext) {
  const names = Object.keys(mapping?.tables ?? {});
  const nameOf = (pair: string) => pair.split('=', 1).join('');
  for (const pair of given) {
    if (names.includes(nameOf(pair))) continue;
    throw new UsageError(
      `--table ${pair}: the mapping joins no such table`,
      names.length === 0 ? 'It joins none.' : `It joins ${names.join(', ')}.`,
    );
  }
  const chosen = [...given];
  const form = await orUndefined(formOf(users, context));
  // A dump of a database and LDIF contain the joined tables.
  if (users === '-' || form === 'sql' || form === 'ldif') return chosen;
  for (const name of names.filter((name) => !given.some((pair) => nameOf(pair) === name))) {
    const found = await filesGivenAs(`table ${name}`, provider, context, dirname(users));
    // If there are several, one may be older.
    if (found.length === 1) chosen.push(`${name}=${found[0]}`);
  }
  return chosen;
}

/** Returns undefined for a source with a reader of its own, and for a table without a mapping. */
async function mappingOf(provider: ExportName, { path, text }: ChosenMap, context: CommandContext) {
  if (text !== undefined) return readMapping(text, drafted);
  if (path !== undefined) return readMapping(readText(path, context.cwd), path);
  const isBuiltIn = providers[provider].tables !== undefined && !unmapped.has(provider);
  return isBuiltIn ? builtInMapping(provider) : undefined;
}
