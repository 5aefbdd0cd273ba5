/** Stencils in, the same ones out with a count of what they have written: a comparison that never uses them proves nothing. */
import { type Stencils, written } from '../../src/lib/stencils.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import type { KeycloakOptions } from '../../src/sources/keycloak/options.ts';

/** How most conversions judge. */
export const usualJob = {
  policy: {
    profile: builtInProfiles.get('all-verifiers')!,
    onRefusedHash: 'drop',
    withoutPassword: 'import',
  },
  hashPlain: false,
  seed: 7,
} as const;

export const usualKeycloak: KeycloakOptions = {
  realmName: undefined,
  serviceAccounts: 'skip',
  otpSecret: 'raw',
  plaintext: 'hash',
  pbkdf2Spelling: 'padded',
  nameFallback: 'username',
  placeholderDomain: '',
  assumeEmailVerified: false,
  defaultRegion: undefined,
  disabled: 'keep',
  metadata: 'none',
  idps: {},
};

export function countWritten(own: Stencils, add: (records: number) => void): Stencils {
  return {
    ...own,
    press(...batch) {
      const pressed = own.press(...batch);
      add(pressed?.values.filter((value) => value === written).length ?? 0);
      return pressed;
    },
  };
}
