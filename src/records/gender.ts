/** Reads a gender as sources write it. An unknown word means unspecified. */
import type { Gender } from './user.ts';

const words: ReadonlyMap<string, Gender> = new Map([
  ...(['f', 'female', 'woman', 'w', 'weiblich', 'femme', 'gender_female'] as const).map(
    (word) => [word, 'female'] as const,
  ),
  ...(['m', 'male', 'man', 'männlich', 'homme', 'gender_male'] as const).map(
    (word) => [word, 'male'] as const,
  ),
  ...(['d', 'x', 'diverse', 'divers', 'nonbinary', 'non-binary', 'other', 'gender_diverse'] as const).map(
    (word) => [word, 'diverse'] as const,
  ),
]);

export function readGender(raw: string) {
  return words.get(raw.trim().toLowerCase()) ?? 'unspecified';
}
