/** What decoders answer. */
import type { McfProblem } from '../mcf/algorithm.ts';
import type { SourceForm } from './form.ts';

/** The target takes the string, and the password of the user matches it. */
export interface Converted {
  readonly mcf: string;
  /** Of further values of the same password, for a target that refuses the first. */
  readonly others?: readonly string[];
  /** Where the source alters some passwords before hashing: whose password is altered cannot log in at the target. */
  readonly form?: SourceForm;
  /** Why it is not known whether the source altered the password before it hashed it. */
  readonly doubt?: string;
}

/** No hash string can be written. `form` is there where a typed password can be checked all the same. */
export type Refused = McfProblem & { readonly form?: SourceForm | undefined };

/** The source holds the password itself. Secret. */
export interface Plain {
  readonly plain: string;
}

export type Decoded = Converted | Refused | Plain;

export function isRefused(decoded: Decoded): decoded is Refused {
  return 'code' in decoded;
}

export function isPlain(decoded: Decoded): decoded is Plain {
  return 'plain' in decoded;
}
