/** Chooses the password hash of a user from its own record and the password files. */
import { decodeHash } from '../../records/hash-forms/decode.ts';
import { auth0Rows } from '../../records/hash-forms/rows/auth0.ts';
import { malformed } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { addNote } from '../../records/build-user.ts';
import type { UserRecord } from '../../records/user.ts';
import { type Decoded, isRefused } from '../../records/hash-forms/decoded.ts';
import { recodePbkdf2 } from '../../records/mcf/keyed.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import type { Auth0Options, JoinedBatch } from './options.ts';

/** A line of support's export is newer than a file prepared for a bulk import: it goes first. */
export function readPassword(
  draft: UserRecord,
  user: JsonObject,
  joined: JoinedBatch | undefined,
  place: number,
  options: Auth0Options,
): void {
  const own = ownHash(user, options);
  const refusal = joined?.refusals.get(place);
  if (refusal !== undefined)
    addNote(draft, refusal === 'conflict' ? 'password:conflicting-lines' : 'password:ambiguous-join');
  const hash = joined?.hashes?.[place] ?? '';
  if (hash !== '') take(draft, recognise(hash));
  if (draft.passwordHash === '') {
    if (own !== undefined) take(draft, own);
  } else if (own !== undefined && 'mcf' in own && own.mcf !== draft.passwordHash) {
    addNote(draft, 'password:extra');
  }
}

function take(draft: UserRecord, decoded: Decoded): void {
  if ('mcf' in decoded) draft.passwordHash = decoded.mcf;
  if (!isRefused(decoded)) return;
  draft.sourceForm = decoded.form;
  addNote(draft, decoded.code, decoded.detail);
}

/** `password_hash` and `custom_password_hash` of the bulk import schema; undefined where there is neither. */
function ownHash(user: JsonObject, { pbkdf2Encoding }: Auth0Options): Decoded | undefined {
  const hash = user['password_hash'];
  if (typeof hash === 'string' && hash !== '') return recognise(hash.trim());
  const custom = user['custom_password_hash'];
  if (custom === undefined || custom === null) return undefined;
  const object = malformed('custom_password_hash is not an object');
  const decoded = decodeHash(
    { rows: auth0Rows, object },
    { hash: '{}', ...(isObject(custom) ? { options: custom } : {}) },
  );
  return 'mcf' in decoded ? { mcf: recodePbkdf2(decoded.mcf, pbkdf2Encoding) } : decoded;
}
