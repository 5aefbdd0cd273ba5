/** Shows users as versions 1 and 2 of the API return them. */
import type { Input } from '../../wire/message.ts';
import type { details } from '../../wire/details.ts';
import type { userV1, userV2 } from '../../wire/user.ts';
import type { OrgRow, UserRow, UserStatus } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

type Details = Input<typeof details>;

/** Names of states. They are the same in both versions, but their numbers differ. */
export const stateNames = {
  active: 'USER_STATE_ACTIVE',
  inactive: 'USER_STATE_INACTIVE',
  locked: 'USER_STATE_LOCKED',
  initial: 'USER_STATE_INITIAL',
} as const satisfies Record<UserStatus, string>;

/** Times in milliseconds since 1970. */
interface Dates {
  readonly created: number;
  readonly changed?: number | undefined;
}

export const datesOf = ({ created, changed = created }: Dates) => ({
  creationDate: created,
  changeDate: changed,
});

interface Counted extends Dates {
  readonly sequence?: number;
}
type Owned = Counted & { readonly orgId: string };

/** Returns details as look-ups show them. The events of most rows are not counted. */
export function detailsOf(row: Owned): Details {
  return {
    sequence: String(row.sequence ?? 1),
    ...datesOf(row),
    resourceOwner: row.orgId,
  };
}

/** Returns details as version 1 shows them for a new object: the change date is its `creationDate`. */
export const addDetails = (row: Owned): Details => ({
  ...detailsOf(row),
  creationDate: row.changed ?? row.created,
  changeDate: '',
});

/** Returns details as a change shows them: no creation date. */
export const changeDetails = (row: Owned): Details => ({ ...detailsOf(row), creationDate: '' });

/** Returns `changeDetails` for an object of the instance. */
export const instanceDetails = ({ store }: { readonly store: Store }, row: Counted): Details =>
  changeDetails({ ...row, orgId: store.instance.instanceId });

export function displayNameOf(user: UserRow) {
  if (user.kind === 'machine') return user.name ?? '';
  return user.displayName ?? `${user.firstName} ${user.lastName}`;
}

/**
 * Returns the login names, the preferred one first: the user name, with the organization's domains if its policy
 * requires them.
 */
export function loginNamesOf(store: Store, user: UserRow) {
  if (store.goneUsers.has(user.id)) return [];
  const org = store.orgs.get(user.orgId);
  if (org === undefined || !loginMustBeDomain(org)) return [user.userName];
  return org.domains
    .filter((domain) => domain.isVerified)
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
    .map((domain) => `${user.userName}@${domain.domainName}`);
}

/** Returns the fields of a user that grants and the event of its creation show. */
export function userFields(user: UserRow) {
  const { userName, firstName, lastName, nickName, language: preferredLanguage, email, phone } = user;
  const displayName = displayNameOf(user);
  return { userName, firstName, lastName, nickName, displayName, preferredLanguage, email, phone };
}

/** Reports whether the organization's login names carry its domain. Its user names are then only unique within it. */
export const loginMustBeDomain = (org: OrgRow | undefined) =>
  org?.domainPolicy?.userLoginMustBeDomain === true;

function showBase(store: Store, user: UserRow) {
  const names = loginNamesOf(store, user);
  const state = stateNames[user.status];
  const details = detailsOf(user);
  const { name, description, secretHash, accessTokenType } = user;
  const machine =
    user.kind === 'machine'
      ? { name, description, hasSecret: secretHash !== undefined, accessTokenType }
      : undefined;
  return { details, state, loginNames: names, preferredLoginName: names[0] ?? '', machine };
}

export const showUserV1 = (store: Store, user: UserRow): Input<typeof userV1> => ({
  id: user.id,
  userName: user.userName,
  ...showBase(store, user),
  human: user.kind === 'human' ? showHumanV1(user) : undefined,
});

/** Returns what version 1 and an export show of a human. */
export const showHumanV1 = (user: UserRow) => ({
  profile: { firstName: user.firstName, lastName: user.lastName, ...showProfile(user) },
  email: { email: user.email, isEmailVerified: user.emailVerified },
  phone: { phone: user.phone ?? '', isPhoneVerified: user.phoneVerified === true },
  passwordChanged: passwordChange(user),
});

export const showUserV2 = (store: Store, user: UserRow): Input<typeof userV2> => ({
  userId: user.id,
  username: user.userName,
  ...showBase(store, user),
  human: user.kind === 'human' ? showHumanV2(user) : undefined,
});

const showHumanV2 = (user: UserRow) => ({
  profile: { givenName: user.firstName, familyName: user.lastName, ...showProfile(user) },
  email: { email: user.email, isVerified: user.emailVerified },
  phone: { phone: user.phone ?? '', isVerified: user.phoneVerified === true },
  passwordChangeRequired: user.passwordChangeRequired === true,
  passwordChanged: passwordChange(user),
});

const passwordChange = ({ passwordHash, passwordChanged, created }: UserRow) =>
  passwordHash === '' ? undefined : (passwordChanged ?? created);

/** Returns the part of a profile that both versions share. */
const showProfile = (user: UserRow) => ({
  nickName: user.nickName ?? '',
  displayName: displayNameOf(user),
  preferredLanguage: user.language,
  gender: user.gender ?? ('GENDER_UNSPECIFIED' as const),
});
