/** Opens the verifiers that `--verifier` names: `hashes:<list>`, or a kind with a file of settings. */
import { pathText } from '../../lib/json-value.ts';
import { resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { createHashThreads } from '../../flows/hashing/hash-threads.ts';
import type { Verifier } from '../../flows/jit/verifier.ts';
import { cognito } from '../../flows/jit/verifiers/cognito.ts';
import { firebase } from '../../flows/jit/verifiers/firebase.ts';
import { hashes } from '../../flows/jit/verifiers/hashes.ts';
import { http, type VerifierKind } from '../../flows/jit/verifiers/kind.ts';
import { ldap } from '../../flows/jit/verifiers/ldap.ts';
import { oidc } from '../../flows/jit/verifiers/oidc.ts';
import { readIdMap } from '../../flows/report/id-map.ts';
import { openRenewable, openUserList } from '../../flows/jit/user-list.ts';
import type { Secrets } from '../../records/hash-forms/verify-form.ts';
import type { VerifierFlags } from '../../flags/jit.ts';
import type { CommandContext } from '../context.ts';
import { shellWord } from '../../lib/format.ts';
import { readText, readBytes } from '../read-text.ts';
import { fromBase64 } from '../../records/hash-forms/encodings.ts';

/** Returns the verifiers, the threads on which they hash, and the list of `hashes:` or `--users`. Throws `UsageError`. */
export async function openVerifiers(
  { verifier: specs, users, idMap, secret = [] }: Partial<VerifierFlags> & Pick<VerifierFlags, 'verifier'>,
  context: CommandContext,
  threadCount: number,
) {
  const { clock } = context;
  const secrets = readSecrets(secret, context);
  const threads = createHashThreads(threadCount, secrets);
  context.onEnd(() => threads.close());
  const kinds: Readonly<Record<string, VerifierKind>> = { oidc, cognito, firebase, ldap, http: http(clock) };
  const verifiers: Verifier[] = [];
  let listPath = users;
  for (const spec of specs) {
    const [, name = '', file = ''] = /^([a-z]+):(.+)$/s.exec(spec) ?? [];
    const kind = kinds[name];
    if (name === 'hashes' && file !== '') {
      listPath ??= file;
      if (listPath !== file) {
        throw new UsageError(
          `${listPath} and ${file} are two lists, and the receiver reads one`,
          `Join them: cat ${shellWord(listPath)} ${shellWord(file)} > all.ndjson; then chmod 600 all.ndjson.`,
        );
      }
      verifiers.push({ name, ...hashes(threads, clock) });
    } else if (kind !== undefined && file !== '') {
      verifiers.push({ name, ...(await openWithFile(kind, file, context)) });
    } else {
      throw new UsageError(
        `--verifier ${spec}: there is no such verifier`,
        `Write hashes:<list>, or ${Object.keys(kinds).join(', ')} with a file: ldap:ldap.yaml.`,
      );
    }
  }
  if (listPath === undefined) return { verifiers, threads };
  const [path, file] = [resolve(context.cwd, listPath), listPath];
  const check = (opened: { readonly secrets: ReadonlySet<string> }) => {
    if (verifiers.some(({ isLocal }) => isLocal)) requireSecrets(opened.secrets, secrets);
  };
  const list = await openRenewable(path, () => openUserList(path, file, readMaps(idMap, context.cwd), check));
  context.onEnd(() => list.close());
  return { verifiers, threads, list };
}

/** Opens the list of users. `idMaps` are the id maps of `import-users`, needed if users got new ids. */
export async function openList(
  file: string,
  idMaps: readonly string[] | undefined,
  { cwd, onEnd }: CommandContext,
) {
  const list = await openUserList(resolve(cwd, file), file, readMaps(idMaps, cwd));
  onEnd(() => list.close());
  return list;
}

async function* readMaps(idMaps: readonly string[] = [], cwd: string) {
  for (const name of idMaps) yield* readIdMap(name, resolve(cwd, name), 'created');
}

async function openWithFile(kind: VerifierKind, file: string, { cwd, env }: CommandContext) {
  const opened = await kind(parseOrNothing(readText(file, cwd)), env);
  if (!(opened instanceof z.ZodError)) return opened;
  throw new UsageError(
    `${file}: ${firstProblem(opened)}`,
    'docs/jit-reference.md has the settings of each verifier.',
  );
}

function parseOrNothing(text: string) {
  try {
    return parseYaml(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Shows only the name of the setting and the rule, because values may be secrets. */
function firstProblem({ issues }: z.ZodError) {
  const issue = issues[0]!;
  if (issue.code === 'unrecognized_keys') return `there is no setting ${issue.keys.join(', ')}`;
  const where = pathText(issue.path);
  if (issue.message.endsWith('received undefined'))
    return where === '' ? 'it is not YAML' : `the setting ${where} is missing`;
  const problem = issue.message.replace(/^Invalid input: /, '');
  return where === '' ? problem : `${where}: ${problem}`;
}

/** Returns secrets by name: the bytes of each file without its line end, decoded if the name begins with `base64_`. */
export function readSecrets(specs: readonly string[], { cwd }: Pick<CommandContext, 'cwd'>) {
  const secrets: Record<string, Uint8Array> = {};
  for (const spec of specs) {
    const [, name = '', file = ''] = /^([^=]+)=(.+)$/s.exec(spec) ?? [];
    if (file === '') {
      throw new UsageError('--secret takes a name and a file', 'For example pepper=pepper.txt.');
    }
    const text = readBytes(file, cwd)
      .toString('latin1')
      .replace(/\r?\n$/, '');
    secrets[name] = Uint8Array.from(Buffer.from(text, 'latin1'));
    // With an empty secret, every right password would count as wrong.
    if (secrets[name].length === 0) throw new UsageError(`--secret ${name}: ${file} is empty`);
    if (name.startsWith('base64_')) secrets[name] = decode(name, secrets[name], file);
  }
  return secrets;
}

function decode(name: string, text: Uint8Array, file: string) {
  const bytes = fromBase64(Buffer.from(text).toString('latin1').trim());
  if (bytes !== undefined && bytes.length > 0) return Uint8Array.from(bytes);
  throw new UsageError(
    `--secret ${name}: ${file} is not base64`,
    'Write the text of the old system into the file as it is.',
  );
}

/**
 * Throws `UsageError` if hashes on the list need a secret that was not given, since every right password would count as
 * wrong.
 */
function requireSecrets(needed: Iterable<string>, given: Secrets) {
  const missing = [...needed].filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return;
  throw new UsageError(
    `hashes on the list need a secret that was not given: ${missing.join(', ')}`,
    missing.map((name) => `--secret=${name}=<file>`).join(' '),
  );
}
