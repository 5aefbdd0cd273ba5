/** Chooses the password hash of a user from its own record and the password files. */
import { isProblem, type McfProblem } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { addNote, type UserDraft } from '../../records/user-draft.ts';
import { convertCustomHash } from './custom-hash.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { type JoinedPasswords, passwordAt, verdictAt } from './join/joined-passwords.ts';
import type { Auth0Options, JoinedBatch } from './options.ts';

/** A line of support's export is newer than a file prepared for a bulk import: it goes first. */
export function readPassword(
  draft: UserDraft,
  user: JsonObject,
  joined: JoinedBatch | undefined,
  place: number,
  options: Auth0Options,
): void {
  const own = ownHash(user, options);
  if (joined?.passwords !== undefined && readJoined(draft, joined.passwords, place)) {
    if (typeof own === 'string' && own !== draft.passwordHash) addNote(draft, 'password:extra');
  } else if (own !== undefined) {
    take(draft, own);
  }
}

/** True where a line brought a hash. */
function readJoined(draft: UserDraft, passwords: JoinedPasswords, place: number): boolean {
  const verdict = verdictAt(passwords, place);
  if (verdict === 'none') return false;
  if (verdict !== 'joined') {
    addNote(draft, verdict === 'conflict' ? 'password:conflicting-lines' : 'password:ambiguous-join');
    return false;
  }
  const { hash, isBcrypt } = passwordAt(passwords, place);
  take(draft, isBcrypt ? hash : canonical(hash));
  return draft.passwordHash !== '';
}

function take(draft: UserDraft, hash: string | McfProblem): void {
  if (isProblem(hash)) addNote(draft, hash.code, hash.detail);
  else draft.passwordHash = hash;
}

/** `password_hash` and `custom_password_hash` of the bulk import schema; undefined where there is neither. */
function ownHash(user: JsonObject, { pbkdf2Encoding }: Auth0Options): string | McfProblem | undefined {
  const hash = user['password_hash'];
  if (typeof hash === 'string' && hash !== '') return canonical(hash);
  const custom = user['custom_password_hash'];
  return custom === undefined || custom === null ? undefined : convertCustomHash(custom, pbkdf2Encoding);
}

function canonical(hash: string): string | McfProblem {
  const found = recognise(hash.trim());
  return isProblem(found) ? found : found.mcf;
}
