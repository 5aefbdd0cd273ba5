/** A user as the services of version 1 and 2 show it. */
import { details } from './details.ts';
import { genders } from './human-user.ts';
import {
  type Output,
  text,
  optionalText,
  flag,
  timestamp,
  choice,
  optionalChoice,
  list,
  message,
} from './message.ts';
import { accessTokenTypes, userStates } from './org-data.ts';

export const userV1 = message('User', {
  id: text,
  details,
  state: choice(userStates),
  userName: text,
  loginNames: list(text),
  preferredLoginName: text,
  human: {
    profile: {
      firstName: text,
      lastName: text,
      nickName: text,
      displayName: text,
      preferredLanguage: text,
      gender: choice(genders),
      avatarUrl: text,
    },
    email: { email: text, isEmailVerified: flag },
    phone: { phone: text, isPhoneVerified: flag },
    passwordChanged: timestamp,
  },
  machine: {
    name: text,
    description: text,
    hasSecret: flag,
    accessTokenType: choice(accessTokenTypes),
  },
});
export type UserV1 = Output<typeof userV1>;

export const getUserResponse = message('GetUserByIDResponse', { user: userV1 });

/** Version 2 counts states otherwise: no suspended one, initial is 5. */
export const userStatesV2 = [
  'USER_STATE_UNSPECIFIED',
  'USER_STATE_ACTIVE',
  'USER_STATE_INACTIVE',
  'USER_STATE_DELETED',
  'USER_STATE_LOCKED',
  'USER_STATE_INITIAL',
] as const;

export const userV2 = message('User', {
  userId: text,
  details,
  state: choice(userStatesV2),
  username: text,
  loginNames: list(text),
  preferredLoginName: text,
  human: {
    profile: {
      givenName: text,
      familyName: text,
      nickName: optionalText,
      displayName: text,
      preferredLanguage: text,
      gender: optionalChoice(genders),
      avatarUrl: text,
    },
    email: { email: text, isVerified: flag },
    phone: { phone: text, isVerified: flag },
    passwordChangeRequired: flag,
    passwordChanged: timestamp,
  },
  machine: {
    name: text,
    description: text,
    hasSecret: flag,
    accessTokenType: choice(accessTokenTypes),
  },
});
export type UserV2 = Output<typeof userV2>;

export const getUserV2Response = message('GetUserByIDResponse', {
  details,
  user: userV2,
});
