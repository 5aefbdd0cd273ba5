/** Reads the inputs of an export as batches of raw users with their realm. */
import { InputError } from '../../errors.ts';
import { isObject, isObjectLine } from '../../lib/json-value.ts';
import { adviseEmpty, type Input, withHead } from '../../lib/input.ts';
import { parseBatch, scanLineElements, scanValueElements } from '../elements.ts';
import { warning, type Notify } from '../../notice.ts';
import type { RawBatch } from '../source.ts';
import type { User } from './fields.ts';
import { type ListForm, recogniseForm, walk } from './form.ts';
import { type KeycloakContext, type KeycloakOptions, severalRealms, unknownRealm } from './options.ts';
import { countOrganizations } from './organizations.ts';
import { isServiceAccount } from './read.ts';

type Batch = RawBatch<KeycloakContext>;

export async function* scanInputs(
  inputs: readonly Input[],
  options: KeycloakOptions,
  notify: Notify,
): AsyncGenerator<Batch> {
  const holders = new Set<string>();
  const count = countOrganizations();
  let found: Found = 'nothing';
  let isShown = true;
  for (const input of inputs) {
    let isFirst = true;
    for await (const batch of scanInput(input, options, count)) {
      const { realm } = batch.context;
      if (realm !== '' && !holders.has(realm)) {
        holders.add(realm);
        if (holders.size > 1 && !options.allRealms) throw severalRealms(input.name, [...holders]);
      }
      if (isFirst || found !== 'users') {
        const { users, showsCredentials } = inspectBatch(batch);
        if (users > 0) found = 'users';
        else if (found === 'nothing') found = 'accounts';
        if (isShown && users > 0 && !showsCredentials) {
          isShown = false;
          notify(noCredentials(input.name));
        }
        isFirst = users === 0;
      }
      yield batch;
    }
  }
  if (!options.carriesMembers) count.notices().forEach(notify);
  const isAsked = found === 'accounts' && options.serviceAccounts === 'machine-users';
  if (found !== 'users' && !isAsked) notify(noUsers(inputs, found));
}

/** `accounts` means only service accounts or records of federated storage. */
type Found = 'nothing' | 'accounts' | 'users';

/** For a batch that needs no closer look: at least this much is in it. */
const several = { users: 1, showsCredentials: true };

/** Returns what is in a batch. It is only parsed if it may have no users or no credentials. */
function inspectBatch(batch: Batch) {
  if (batch.context.federated) return { users: 0, showsCredentials: true };
  const { elements } = batch;
  if (elements.form === 'broken') return several;
  if ('bytes' in elements) {
    const bytes = Buffer.from(elements.bytes);
    if (bytes.includes('"credentials"') && !bytes.includes('service-account-')) return several;
  }
  const users: User[] = [];
  try {
    for (const value of parseBatch(batch)) {
      if (isObject(value) && !isServiceAccount(value)) users.push(value);
    }
  } catch {
    // The conversion of the batch reports what is wrong.
    return several;
  }
  return {
    users: users.length,
    showsCredentials: users.some(({ credentials }) => credentials !== undefined),
  };
}

async function* scanInput(
  input: Input,
  options: KeycloakOptions,
  count: ReturnType<typeof countOrganizations>,
): AsyncGenerator<Batch> {
  const { head, blocks } = await withHead(input.blocks());
  const form = recogniseForm(head, input.name);
  const isNamed = options.realmName !== undefined;
  if (form === 'sequence') yield* scanSequence(input.name, head, blocks);
  else if (
    input.repeatable &&
    (form === 'realms' ? isNamed || options.allRealms !== true : isNamed && form === 'yaml')
  ) {
    // Readings must not overlap, because an input counts the bytes of one reading at a time.
    await blocks.return(undefined);
    const chosen = await chooseRealm(input, form, options);
    yield* scanRealms(input.name, form, input.blocks(), { chosen, options, count });
  } else yield* scanRealms(input.name, form, blocks, { chosen: undefined, options, count });
}

/**
 * Reads one user per line if the first line is a complete user, so that a broken line only loses itself. Otherwise
 * reads value by value.
 */
async function* scanSequence(
  input: string,
  head: Uint8Array,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Batch> {
  const context = { realm: '', federated: false };
  const [first = ''] = Buffer.from(head).toString('utf8').trimStart().split('\n', 1);
  const batches = isObjectLine(first) ? scanLineElements(blocks) : scanValueElements(input, blocks);
  for await (const elements of batches) yield { input, elements, context };
}

interface RealmRules {
  readonly chosen: Awaited<ReturnType<typeof chooseRealm>>;
  readonly options: KeycloakOptions;
  readonly count: ReturnType<typeof countOrganizations>;
}

async function* scanRealms(
  input: string,
  form: ListForm,
  blocks: AsyncIterable<Uint8Array>,
  { chosen, options, count }: RealmRules,
): AsyncGenerator<Batch> {
  const { realmName } = options;
  for await (const { root, realm, name, elements, instead } of walk(input, blocks, form)) {
    if (chosen !== undefined && root !== chosen.root) continue;
    if (instead !== undefined) refuseOtherThanList(input, name || 'users', root, instead);
    if (name === 'realm' && form !== 'realms' && realmName !== undefined && realm !== realmName)
      throw unknownRealm(input, [realm], realmName);
    if (elements === undefined) continue;
    const holder = chosen?.name ?? realm;
    if (form === 'realms' && realmName !== undefined && holder !== realmName) {
      if (holder === '') throw nameAfterUsers(input);
    } else if (name === 'organizations') count.add(parseBatch({ input, elements }));
    else yield { input, context: { realm: holder, federated: name === 'federatedUsers' }, elements };
  }
}

/**
 * Reads a list of realms once in advance, so that the realm is chosen before anything is written. Returns undefined if none has
 * users. Throws `UsageError` if there is more than one choice or the requested realm does not exist.
 */
async function chooseRealm(input: Input, form: ListForm, { realmName }: KeycloakOptions) {
  const names = new Map<number, string>();
  const holders = new Set<number>();
  for await (const { root, realm, name, elements } of walk(input.name, input.blocks(), form)) {
    if (elements === undefined) names.set(root, realm);
    else if (name !== 'organizations') holders.add(root);
  }
  const chosen = Array.from(names, ([root, name]) => ({ root, name })).filter(({ root, name }) =>
    realmName === undefined ? holders.has(root) : name === realmName,
  );
  if (realmName === undefined && chosen.length > 1)
    throw severalRealms(
      input.name,
      chosen.map(({ name }) => name),
    );
  if (realmName !== undefined && chosen.length === 0)
    throw unknownRealm(input.name, [...names.values()], realmName);
  return chosen[0];
}

function refuseOtherThanList(input: string, key: string, root: number, found: string) {
  if (key !== '*' && (found === 'null' || found === 'missing')) return;
  const what = key === '*' ? `page ${root + 1}` : `"${key}"`;
  throw new InputError(
    'input:users-not-a-list',
    input,
    `${what} is not a list (found: ${found})`,
    'Give a realm export of Keycloak, or a list of users.',
  );
}

function nameAfterUsers(input: string) {
  return new InputError(
    'input:not-repeatable',
    input,
    'a realm names itself only after its users',
    'Give a file instead of standard input, so that it can be read twice.',
  );
}

function noUsers(inputs: readonly Input[], found: Found) {
  const names = inputs.map(({ name }) => name).join(', ');
  const only = found === 'accounts' ? ', only service accounts or records of federated storage' : '';
  return warning(
    'input:no-users',
    `no users in ${names}${only}. ` +
      adviseEmpty(
        inputs[0]!,
        'A partial export from the admin console has none, nor has the `-realm.json` half of a folder export; use `kc.sh export` and give the folder, or its `-users-<n>.json` files.',
      ),
  );
}

function noCredentials(input: string) {
  return warning(
    'input:no-credentials',
    `${input} shows no passwords and no TOTP secrets: a partial export from the admin console and a list of the REST API never do. Use \`kc.sh export\`, which does; else all users have to set a new password.`,
  );
}
