/** What a row of the password export may know of a user: id, email, linked accounts and connections. */
import { isObject, type JsonObject, readJsonId } from '../../lib/json-value.ts';
import type { Account } from '../table/claim-users.ts';
import { withCanonicalFields } from './columns.ts';
import { mayBeDatabase, readIdentities } from './identities.ts';
import { comparable, databaseId, databasePrefix } from './password-line.ts';

const noAccount: Account = { id: '', email: '', linked: [], connections: undefined };

/** Never throws for what a record holds. */
export function readAccount(record: unknown): Account {
  if (!isObject(record)) return noAccount;
  const user = withCanonicalFields(record);
  const id = qualifiedId(user);
  const connections: string[] = [];
  const linked: string[] = [];
  const identities = readIdentities(user);
  let known = identities.length > 0;
  for (const identity of identities) {
    if (!mayBeDatabase(identity)) continue;
    if (identity.connection === '') known = false;
    else connections.push(identity.connection);
    const account = databaseId(identity.userId);
    if (account !== '' && databasePrefix + account !== id) linked.push(databasePrefix + account);
  }
  // One id says nothing about what else is linked to it.
  if (connections.length === 0 && !Array.isArray(user['identities'])) known = false;
  return { id, email: comparable(user['email']), linked, connections: known ? connections : undefined };
}

/** Files for a bulk import name the id within the database alone; Auth0 puts `auth0|` before it. */
function qualifiedId(user: JsonObject): string {
  const id = readJsonId(user['user_id']) ?? '';
  if (id === '') return '';
  return id.includes('|') ? id : databasePrefix + id;
}
