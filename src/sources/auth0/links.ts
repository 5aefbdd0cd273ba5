/** Turns the identities of a user into links to identity providers of the target. */
import { addLink, type UserDraft } from '../../records/user-draft.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { hasDatabaseAccountOnly, mayBeDatabase, readIdentities } from './identities.ts';
import type { Auth0Options } from './options.ts';

/** `--idp` names a connection, or the strategy behind it (`google-oauth2`) for all its connections. */
export function readLinks(draft: UserDraft, user: JsonObject, options: Auth0Options): void {
  if (hasDatabaseAccountOnly(user)) return;
  for (const identity of readIdentities(user)) {
    if (mayBeDatabase(identity)) continue;
    const { connection, provider, userId, displayName } = identity;
    const alias =
      connection === '' || (!isMapped(options, connection) && isMapped(options, provider))
        ? provider
        : connection;
    addLink(draft, options, alias, userId, displayName);
  }
}

function isMapped({ idps }: Auth0Options, name: string): boolean {
  return Object.hasOwn(idps, name);
}
