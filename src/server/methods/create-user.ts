/** Creates users: `_import` of version 1, `AddHumanUser` and `CreateUser` of version 2. */
import { optionalText, text, timestamp, duration } from '../../wire/message.ts';
import { details } from '../../wire/details.ts';
import * as wire from '../../wire/create-user.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { requirePermission } from '../auth.ts';
import type { Call } from '../context.ts';
import { existing, refusal } from '../errors.ts';
import { users, management } from '../method.ts';
import { changeDetails, addDetails } from '../users/show.ts';
import type { OrgRow, UserRow } from '../store/rows.ts';
import { setMetadata } from '../users/change.ts';
import { createHuman, createMachine, importHuman } from '../users/create.ts';
import { importHumanUserRequest } from '../../wire/human-user.ts';
import { originOf } from '../limits/connection.ts';

export const createUserMethods = [
  users('AddHumanUser', 'POST /v2/users/human', 'user.write', {
    request: wire.addHumanUserRequest,
    response: {
      userId: text,
      details,
      emailCode: optionalText,
      phoneCode: optionalText,
    },
    org({ organization }, { store }) {
      if (organization?.orgDomain === undefined) return organization?.orgId;
      return store.orgs.by('verified', organization.orgDomain.toLowerCase())[0]?.id ?? organization.orgDomain;
    },
    async handle(call, request) {
      const org = orgOf(call, call.orgId);
      const { user, emailCode, phoneCode } = await createHuman(call, org, call.caller.user.id, request);
      return { userId: user.id, details: changeDetails(user), emailCode, phoneCode };
    },
  }),
  users('CreateUser', 'POST /v2/users/new', 'authenticated', {
    request: wire.createUserRequest,
    response: {
      id: text,
      creationDate: timestamp,
      emailCode: optionalText,
      phoneCode: optionalText,
    },
    handle: (call, request) =>
      request.machine === undefined ? addHuman(call, request) : addMachine(call, request, request.machine),
  }),
  management('ImportHumanUser', 'POST /management/v1/users/human/_import', 'user.write', {
    request: importHumanUserRequest,
    response: {
      userId: text,
      details,
      passwordlessRegistration: {
        link: text,
        lifetime: duration,
        expiration: duration,
      },
    },
    async handle(call, request) {
      const target = { orgId: call.orgId, editor: call.caller.user.id, userId: '' };
      const { user, passwordless } = await importHuman(call, target, request);
      return {
        userId: user.id,
        details: addDetails(user),
        passwordlessRegistration: passwordless && {
          link: passwordlessLink(call, user, passwordless),
          lifetime: linkLifetime,
          expiration: linkLifetime,
        },
      };
    },
  }),
];

async function addHuman(call: Call, { human, ...request }: wire.CreateUser) {
  const metadata = metadataOf(request.metadata, human!.metadata);
  const { user, emailCode, phoneCode } = await createHuman(
    call,
    orgOf(call, request.organizationId),
    call.caller.user.id,
    { ...human!, userId: request.userId, username: request.username, metadata },
    () => requirePermission(call, request.organizationId, 'user.write'),
  );
  return { id: user.id, creationDate: formatTimestamp(user.created), emailCode, phoneCode };
}

function addMachine(call: Call, request: wire.CreateUser, machine: NonNullable<wire.CreateUser['machine']>) {
  const org = orgOf(call, request.organizationId);
  requirePermission(call, org.id, 'user.write');
  const user = createMachine(call, org, call.caller.user.id, {
    userId: request.userId,
    userName: request.username ?? request.userId ?? call.store.nextId(),
    name: machine.name,
    description: machine.description ?? '',
    tokenType: machine.accessTokenType,
  });
  if (request.metadata.length > 0) setMetadata(call, user, request.metadata);
  return { id: user.id, creationDate: formatTimestamp(user.created) };
}

/** The human's own field is the older one; only one of the two may be set. */
export function metadataOf<Entry>(own: readonly Entry[], ofHuman: readonly Entry[]): Entry[] {
  if (own.length === 0 || ofHuman.length === 0) return [...own, ...ofHuman];
  throw refusal('USERv2-j0z7uy');
}

/** The organization that gets a user; one that was removed takes none. */
export const orgOf = ({ store }: Call, id: string): OrgRow => existing(store.orgs.get(id), 'COMMAND-QXPGs');

/** Validity of the link for a passkey. */
const linkLifetime = '3600s';

function passwordlessLink(
  call: Call,
  user: UserRow,
  { codeId, code }: { readonly codeId: string; readonly code: string },
): string {
  const query = new URLSearchParams({ userID: user.id, orgID: user.orgId, codeID: codeId, code });
  return `${originOf(call.http)}/ui/login/login/passwordless/init?${query.toString()}`;
}
