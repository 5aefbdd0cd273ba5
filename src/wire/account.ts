/** What a token's owner may ask about itself: the user, its memberships, its permissions. */
import { listResponse, details } from './details.ts';
import { text, flag, list, message } from './message.ts';
import { userV1 } from './user.ts';

export const getMyUserResponse = message('GetMyUserResponse', { user: userV1, lastLogin: text });

/** Exactly one of `iam`, `orgId`, `projectId`, `projectGrantId` says where the roles hold. */
export const membership = message('Membership', {
  userId: text,
  details,
  roles: list(text),
  displayName: text,
  iam: flag,
  orgId: text,
  projectId: text,
  projectGrantId: text,
});

export const listMembershipsResponse = listResponse('ListMyMembershipsResponse', membership);

/** `iam.write`, `iam.read`, `user.write`, ... */
export const listPermissionsResponse = message('ListMyZitadelPermissionsResponse', { result: list(text) });
