/** Reads what no list of users shows (metadata, links, whether there is a password or TOTP) from an export, or user by user. */
import type { ApiError } from '../../api/api-error.ts';
import { type Client, searchPages } from '../../api/client.ts';
import { entriesIn, organizationsIn } from '../../sources/org-data/organizations.ts';
import type { ListDetails } from '../../wire/details.ts';
import { listMetadataResponse, listIdpLinksResponse } from '../../wire/user.ts';
import { listTimeOf } from '../reconcile/list-lag.ts';
import { readSignInMethods } from '../reconcile/find-users.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { askedFields, type AskedField } from './fields.ts';

// Texts by which the details of a user are compared.

/** Normalizes base64, which can be written in more than one way. */
export function metadataEntry(key: string, value: string) {
  return `${key}\n${Buffer.from(value, 'base64').toString('base64')}`;
}

export function linkEntry(idpId: string, externalId: string) {
  return `${idpId}\n${externalId}`;
}

/** The value of the password does not count: the service replaces the hash at the first login. */
export const passwordEntry = 'a password';
export const totpEntry = 'a TOTP secret';

interface UserToRead {
  readonly client: Client;
  readonly org: string;
  readonly id: string;
}

/** Is called with the time up to which a list is current. Undefined if the list does not say it. */
type OnTime = (time: number | undefined) => void;

const signInMethod =
  (type: string, entry: string) =>
  async ({ client, id, org }: UserToRead) =>
    (await readSignInMethods(client, id, org)).includes(`AUTHENTICATION_METHOD_TYPE_${type}`) ? [entry] : [];

/** Functions that return entries as `ExpectedUsers` takes them. They throw `ApiError`. */
export const readDetail: Readonly<
  Record<AskedField, (user: UserToRead, onTime?: OnTime) => Promise<string[]>>
> = {
  metadata: (user, onTime) =>
    readList(
      user,
      '/management/v1/users/*/metadata/_search',
      listMetadataResponse,
      onTime,
      ({ key, value }) => metadataEntry(key, value),
    ),
  links: (user, onTime) =>
    readList(user, '/v2/users/*/links/_search', listIdpLinksResponse, onTime, ({ idpId, userId }) =>
      linkEntry(idpId, userId),
    ),
  password: signInMethod('PASSWORD', passwordEntry),
  TOTP: signInMethod('TOTP', totpEntry),
};

/** Reports whether a refusal holds for all users: no permission, or no such call at this service. */
export function concernsAll({ status, id }: ApiError) {
  if (status === 403 || status === 405 || status === 501) return true;
  // The gateway's own 404 has no id. That of a membership begins with AUTHZ.
  return status === 404 && (id === undefined || id.startsWith('AUTHZ'));
}

/** Reads the list at a path, in which the id of the user replaces the star. */
async function readList<Item>(
  { client, org, id }: UserToRead,
  path: string,
  answer: {
    parse(value: unknown): { readonly result: readonly Item[]; readonly details?: ListDetails | undefined };
  },
  onTime: OnTime = () => undefined,
  entryOf: (item: Item) => string,
) {
  const entries: string[] = [];
  for await (const page of searchPages(client, path.replace('*', encodeURIComponent(id)), answer, { org })) {
    onTime(listTimeOf(page.details));
    entries.push(...page.result.map(entryOf));
  }
  return entries;
}

const exportedLists = ['humanUsers', 'machineUsers', 'userMetadata', 'userLinks'] as const;
const exportTimeout = 600_000;

/**
 * Adds what an export of the organization shows. Returns undefined if all was read, else why the service gives no export. The
 * answer is never in memory as a whole.
 */
export async function readExport(client: Client, org: string, number: number, users: ExpectedUsers) {
  const forget = () => {
    for (const user of users.with('found')) {
      if (users.orgOf(user) !== number) continue;
      users.forget(user, askedFields);
      users.mark(user, 'exported', false);
    }
  };
  const end = await client.attempt({
    method: 'POST',
    path: '/admin/v1/export',
    body: { orgIds: [org], withPasswords: true, withOtp: users.count('wants TOTP') > 0, timeout: '10m0s' },
    timeout: exportTimeout,
    receive: async (blocks) => {
      // Also called again after an answer broke off.
      forget();
      for await (const item of organizationsIn('the export', blocks, { lists: exportedLists })) {
        if (item.kind !== 'batch') continue;
        for (const entry of entriesIn('the export', item)) addExported(item.list, entry, users);
      }
    },
  });
  if (end.ok) return undefined;
  forget();
  return end.error;
}

interface ExportedEntry {
  readonly id?: string;
  readonly userId?: string;
  readonly key?: string;
  readonly value?: string;
  readonly idpId?: string;
  readonly providedUserId?: string;
  readonly user?: { readonly hashedPassword?: { readonly value?: string }; readonly otpCode?: string };
}

function addExported(list: string, entry: ExportedEntry, users: ExpectedUsers) {
  const user = users.byTargetId(entry.userId ?? entry.id ?? '');
  if (user === -1) return;
  if (list === 'userMetadata') {
    users.see(user, 'metadata', metadataEntry(entry.key ?? '', entry.value ?? ''));
  } else if (list === 'userLinks') {
    users.see(user, 'links', linkEntry(entry.idpId ?? '', entry.providedUserId ?? ''));
  } else {
    users.mark(user, 'exported');
    if ((entry.user?.hashedPassword?.value ?? '') !== '') users.see(user, 'password', passwordEntry);
    if ((entry.user?.otpCode ?? '') !== '') users.see(user, 'TOTP', totpEntry);
  }
}
