/** `_import`: imports one user. */
import { duration, text } from '../../wire/message.ts';
import { details } from '../../wire/details.ts';
import { importHumanUserRequest } from '../../wire/human-user.ts';
import type { Call } from '../context.ts';
import { originOf } from '../limits/connection.ts';
import { management } from '../method.ts';
import { addDetails } from '../users/show.ts';
import { importHuman, type ImportedHuman } from '../users/import-human.ts';

/** Validity of the link for a passkey. */
const linkLifetime = '3600s';

export const importUserMethods = [
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
      return show(call, await importHuman(call, target, request));
    },
  }),
];

function show(call: Call, { user, passwordless }: ImportedHuman) {
  return {
    userId: user.id,
    details: addDetails(user),
    passwordlessRegistration: passwordless && {
      link: passwordlessLink(originOf(call.http), user.id, user.orgId, passwordless),
      lifetime: linkLifetime,
      expiration: linkLifetime,
    },
  };
}

function passwordlessLink(
  origin: string,
  userId: string,
  orgId: string,
  { codeId, code }: NonNullable<ImportedHuman['passwordless']>,
): string {
  const query = new URLSearchParams({ userID: userId, orgID: orgId, codeID: codeId, code });
  return `${origin}/ui/login/login/passwordless/init?${query.toString()}`;
}
