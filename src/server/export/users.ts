/** Users, metadata and links of an organization as an export has them, one at a time. */
import type { Input } from '../../wire/message.ts';
import type { dataHumanUser, dataMachineUser, userMetadataItem } from '../../wire/org-data.ts';
import type { userLinkItem } from '../../wire/org-resources.ts';
import { displayNameOf, genderOf, stateNames } from '../users/show.ts';
import type { IdpRow, UserRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface Secrets {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

/** All states are exported. `email` is left out when there is none, and then an import of the body is refused. */
export function* exportHumans(
  store: Store,
  orgId: string,
  secrets: Secrets,
): Generator<Input<typeof dataHumanUser>> {
  for (const user of store.users.by('org', orgId)) {
    if (user.kind === 'human') yield exportHuman(user, secrets);
  }
}

function exportHuman(user: UserRow, secrets: Secrets): Input<typeof dataHumanUser> {
  const { more } = user;
  return {
    userId: user.id,
    state: stateNames[user.status],
    user: {
      userName: user.userName,
      profile: {
        firstName: user.firstName,
        lastName: user.lastName,
        nickName: more?.nickName ?? '',
        displayName: displayNameOf(user),
        preferredLanguage: user.language === '' ? 'und' : user.language,
        gender: genderOf(user),
      },
      // Without one the body is refused, as in the service.
      email: (user.email === '' ? undefined : { email: user.email, isEmailVerified: user.emailVerified })!,
      phone:
        more?.phone === undefined
          ? undefined
          : { phone: more.phone, isPhoneVerified: more.phoneVerified === true },
      hashedPassword:
        secrets.withPasswords && user.passwordHash !== '' ? { value: user.passwordHash } : undefined,
      otpCode: secrets.withOtp ? more?.otpSecret : undefined,
    },
  };
}

/**
 * As in the service, the id stands outside only, and an import reads the one inside: the service user gets another id
 * there, and its keys, members and grants are refused.
 */
export function* exportMachines(store: Store, orgId: string): Generator<Input<typeof dataMachineUser>> {
  for (const user of store.users.by('org', orgId)) {
    if (user.kind !== 'machine') continue;
    yield {
      userId: user.id,
      state: stateNames[user.status],
      user: {
        userName: user.userName,
        name: user.more?.name ?? '',
        description: user.more?.description ?? '',
      },
    };
  }
}

export function* exportMetadata(store: Store, orgId: string): Generator<Input<typeof userMetadataItem>> {
  for (const { id, more } of store.users.by('org', orgId)) {
    for (const [key, { value }] of Object.entries(more?.metadata ?? {})) yield { id, key, value };
  }
}

export function idpType(idp: IdpRow | undefined): 'IDP_TYPE_UNSPECIFIED' | 'IDP_TYPE_OIDC' | 'IDP_TYPE_JWT' {
  if (idp === undefined) return 'IDP_TYPE_UNSPECIFIED';
  return idp.jwt === undefined ? 'IDP_TYPE_OIDC' : 'IDP_TYPE_JWT';
}

export function* exportLinks(store: Store, orgId: string): Generator<Input<typeof userLinkItem>> {
  for (const { id, more } of store.users.by('org', orgId)) {
    for (const { idpId, externalUserId, displayName } of more?.links ?? []) {
      const idp = store.idps.get(idpId);
      yield {
        userId: id,
        idpId,
        idpName: idp?.name ?? '',
        providedUserId: externalUserId,
        providedUserName: displayName,
        idpType: idpType(idp),
      };
    }
  }
}
