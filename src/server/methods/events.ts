/**
 * Searches the event log. This server has no log: events are derived from the current rows. So only the last change of
 * each value is reported, and for a deleted user only its creation and removal.
 */
import type { Output, Input } from '../../wire/message.ts';
import { createHash } from 'node:crypto';
import { event, listEventsRequest, listEventsResponse } from '../../wire/event.ts';
import { type GenderName, genders } from '../../wire/create-user.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { type Call, admin } from '../method.ts';
import { originOf } from '../limits/connection.ts';
import type { UserRow } from '../store/rows.ts';
import { usersOf, type Store } from '../store/store.ts';
import { displayNameOf, userFields } from '../users/show.ts';

type Query = Output<typeof listEventsRequest>;

interface DerivedEvent {
  readonly subject: Pick<UserRow, 'id' | 'orgId' | 'editor'>;
  readonly type: keyof typeof localized;
  readonly sequence: number;
  readonly created: number;
  readonly payload: object | undefined;
}

/** Largest number of events in one answer. */
const maxEvents = 1000;

const localized = {
  'org.removed': 'Organization removed',
  'project.removed': 'Project removed',
  'user.grant.added': 'Authorization added',
  'user.human.added': 'Person added',
  'user.human.initialization.code.added': 'Initialization code generated',
  'user.human.email.verified': 'Email address verified',
  'user.human.email.code.added': 'Email address verification code generated',
  'user.human.externalidp.added': 'External IDP added',
  'user.human.mfa.otp.added': 'Multifactor OTP added',
  'user.human.mfa.otp.verified': 'Multifactor OTP verified',
  'user.human.phone.code.added': 'Phone number code generated',
  'user.machine.added': 'Technical user added',
  'user.deactivated': 'User deactivated',
  'user.locked': 'User locked',
  'user.metadata.set': 'User metadata set',
  'user.removed': 'User removed',
  'user.pat.added': 'Personal Access Token added',
} as const;

/** 72 hours in nanoseconds, as Go writes durations. */
const codeExpiry = 259_200_000_000_000;
/** One hour in nanoseconds. */
const shortExpiry = 3_600_000_000_000;
const tokenScopes = [
  'openid',
  'profile',
  'urn:zitadel:iam:user:metadata',
  'urn:zitadel:iam:user:resourceowner',
];

export const eventMethods = [
  admin('ListEvents', 'POST /admin/v1/events/_search', 'events.read', {
    request: listEventsRequest,
    response: listEventsResponse,
    handle: (call, query) => ({ events: findEvents(call, query).map((found) => show(call, found)) }),
  }),
];

function findEvents(call: Call, query: Query) {
  const { store } = call;
  const limit = Math.min(query.limit || maxEvents, maxEvents);
  const { aggregateId } = query;
  const users =
    aggregateId === ''
      ? usersOf(store, query.resourceOwner || undefined)
      : [store.users.get(aggregateId) ?? []].flat();
  const others = otherEvents(store).filter(
    (each) => (aggregateId === '' || each.subject.id === aggregateId) && matches(each, query),
  );
  const found: DerivedEvent[] = [];
  for (const user of query.asc ? users : users.toReversed()) {
    const events = eventsOf(store, user, originOf(call.http)).filter((each) => matches(each, query));
    found.push(...(query.asc ? events : events.reverse()));
    if (found.length >= limit) break;
  }
  if (others.length === 0) return found.slice(0, limit);
  const order = query.asc ? 1 : -1;
  return [...others, ...found]
    .toSorted((a, b) => order * (a.created - b.created || a.sequence - b.sequence))
    .slice(0, limit);
}

/** Returns grants, and the creation and removal of deleted objects. */
function otherEvents({ goneOrgs, goneUsers, removed, userGrants }: Store): DerivedEvent[] {
  const event = (
    { id, orgId = id }: { readonly id: string; readonly orgId?: string },
    type: DerivedEvent['type'],
    created = 0,
    sequence = 1,
  ): DerivedEvent => ({ subject: { id, orgId, editor: '' }, type, sequence, created, payload: undefined });
  const gone = [...goneUsers.list(), ...removed.list()];
  return [
    ...goneOrgs.list().map((org) => event(org, 'org.removed', org.removed, 2)),
    ...gone.flatMap((row) => (row.kind === 'project' ? [] : event(row, addedType(row.kind), row.created))),
    ...removed.list().map((row) => {
      const type = row.kind === 'project' ? 'project.removed' : 'user.removed';
      return event(row, type, row.removed, 2);
    }),
    ...userGrants.list().map((grant) => event(grant, 'user.grant.added', grant.created, grant.sequence)),
  ];
}

const addedType = (kind: UserRow['kind']) => `user.${kind}.added` as const;

/** Returns the kind of subject: `org`, `project`, `user` or `usergrant`. */
const aggregateOf = ({ type }: DerivedEvent) =>
  type === 'user.grant.added' ? 'usergrant' : type.slice(0, type.indexOf('.'));

function matches(found: DerivedEvent, query: Query) {
  const { subject, type, created } = found;
  const { eventTypes, aggregateTypes, editorUserId, resourceOwner, range, asc } = query;
  if (eventTypes.length > 0 && !eventTypes.includes(type)) return false;
  if (aggregateTypes.length > 0 && !aggregateTypes.includes(aggregateOf(found))) return false;
  if (editorUserId !== '' && subject.editor !== editorUserId) return false;
  if (resourceOwner !== '' && subject.orgId !== resourceOwner) return false;
  const time = query.from || query.creationDate;
  const after = [range?.since, asc ? time : ''];
  const before = [range?.until, asc ? '' : time];
  return (
    after.every((time) => !time || created >= Date.parse(time)) &&
    before.every((time) => !time || created <= Date.parse(time))
  );
}

type UserEvent = readonly [type: DerivedEvent['type'], created: number, payload?: object];

/** Returns the events of a user in the order in which they happened. */
function eventsOf(store: Store, user: UserRow, origin: string): DerivedEvent[] {
  const added: UserEvent = [addedType(user.kind), user.created, addedPayload(user)];
  const later = [...laterEvents(store, user, origin)].sort(([, a], [, b]) => a - b);
  return [added, ...later].map(([type, created, payload], index) => ({
    subject: user,
    type,
    created,
    payload,
    sequence: index + 1,
  }));
}

function* laterEvents(store: Store, user: UserRow, triggerOrigin: string): Generator<UserEvent> {
  const {
    created,
    changed = created,
    status,
    emailCode,
    phoneCode,
    otpSecret,
    links = [],
    metadata = {},
  } = user;
  if (status === 'initial') {
    yield [
      'user.human.initialization.code.added',
      created,
      { code: codeOf(user), expiry: codeExpiry, triggerOrigin },
    ];
  } else if (user.emailVerified) yield ['user.human.email.verified', created];
  for (const [type, sent] of [
    ['user.human.email.code.added', emailCode],
    ['user.human.phone.code.added', phoneCode],
  ] as const) {
    if (sent === undefined) continue;
    const returned = sent.returned ? { code_returned: true } : {};
    yield [type, sent.at, { code: codeOf(user), expiry: shortExpiry, triggerOrigin, ...returned }];
  }
  for (const { idpId: idpConfigId, externalUserId: userId, displayName, added = created } of links) {
    yield ['user.human.externalidp.added', added, { idpConfigId, userId, displayName }];
  }
  for (const [key, { value, changed }] of Object.entries(metadata)) {
    yield ['user.metadata.set', changed, { key, value }];
  }
  if (otpSecret !== undefined) {
    yield ['user.human.mfa.otp.added', created, { otpSecret: codeOf(user, 'otpKey') }];
    yield ['user.human.mfa.otp.verified', created, {}];
  }
  for (const { kind, expires, tokenId, created } of store.tokens.by('user', user.id)) {
    if (kind !== 'pat') continue;
    yield ['user.pat.added', created, { expiration: formatTimestamp(expires), scopes: tokenScopes, tokenId }];
  }
  if (status === 'inactive') yield ['user.deactivated', changed];
  if (status === 'locked') yield ['user.locked', changed];
}

/** A code that looks encrypted, as the service shows its codes. */
const codeOf = ({ id }: UserRow, key = 'userKey') => ({
  CryptoType: 0,
  Algorithm: 'aes',
  KeyID: key,
  Crypted: createHash('sha256').update(id).digest('base64').slice(0, 32),
});

/**
 * Returns the payload of `user.*.added`. As in the service, it has the password hash, which only callers who may read
 * events receive. A gender that is not set is -1.
 */
function addedPayload(user: UserRow) {
  if (user.kind === 'machine') return { userName: user.userName, name: user.name ?? '' };
  const { gender } = user;
  return {
    ...userFields(user),
    changeRequired: user.passwordChangeRequired,
    gender: gender === 'GENDER_UNSPECIFIED' ? undefined : genders.indexOf(gender as GenderName),
    encodedHash: user.passwordHash || undefined,
  };
}

function show({ store }: Call, found: DerivedEvent): Input<typeof event> {
  const { subject, type, sequence, created, payload } = found;
  const aggregate = aggregateOf(found);
  const editor = store.users.get(subject.editor);
  return {
    editor: {
      userId: subject.editor,
      displayName: editor && displayNameOf(editor),
      service: 'zitadel',
    },
    aggregate: {
      id: subject.id,
      type: {
        type: aggregate,
        localized: {
          key: `AggregateTypes.${aggregate}`,
          localizedMessage: aggregate === 'user' ? 'User' : 'Organization',
        },
      },
      resourceOwner: subject.orgId,
    },
    sequence: String(sequence),
    creationDate: created,
    payload,
    type: { type, localized: { key: `EventTypes.${type}`, localizedMessage: localized[type] } },
  };
}
