/** A conversion with nothing unusual about it. */
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import type { UserOptions } from '../../src/records/user.ts';
import { auth0 } from '../../src/sources/auth0/provider.ts';
import type { KeycloakOptions } from '../../src/sources/keycloak/options.ts';

/** How most conversions judge. */
export const usualJob = {
  policy: {
    profile: builtInProfiles.get('all-verifiers')!,
    onRefusedHash: 'drop',
    withoutPassword: 'import',
    route: 'import',
  },
  hashPlain: false,
  seed: 7,
  wantsNotes: true,
} as const;

export const usualKeycloak: KeycloakOptions = {
  realmName: undefined,
  phoneAttribute: undefined,
  serviceAccounts: 'skip',
  otpSecret: 'raw',
  plaintext: 'hash',
  pbkdf2Encoding: 'padded',
  nameFallback: 'username',
  emailFallback: 'skip',
  placeholderDomain: '',
  emailVerified: undefined,
  defaultRegion: undefined,
  disabled: 'keep',
  metadata: 'none',
  idps: {},
};

export async function auth0Options(changed: Partial<UserOptions> = {}, id: 'keep' | 'strip-prefix' = 'keep') {
  return auth0.readOptions(
    { id },
    {
      user: { ...usualKeycloak, ...changed },
      plaintext: 'hash',
      pbkdf2Encoding: 'padded',
      readFile: () => new Uint8Array(),
      now: 0,
    },
  );
}
