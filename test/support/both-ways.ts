/** Stencils in, the same ones out with a count of what they have written: a comparison that never uses them proves nothing. */
import { type Stencils, written } from '../../src/lib/stencils.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';

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
