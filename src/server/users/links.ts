/** Whether a link of a user to an identity provider may be created. */
import { refusal, notUnique } from '../errors.ts';
import type { IdpRow, LinkRow } from '../store/rows.ts';
import { linkKey, type Store } from '../store/store.ts';

/** For a new user: the provider must exist and allow that users are made. */
export function checkCreatingLink(store: Store, link: LinkRow): void {
  const idp = store.idps.get(link.idpId);
  if (idp === undefined) throw refusal('COMMAND-39nfs');
  if (!idp.allowsCreation) throw refusal('COMMAND-SJI3g');
}

/** For a user who is there: the provider must be the org's or the instance's. */
export function checkAddedLink(store: Store, orgId: string, link: LinkRow): IdpRow {
  const idp = store.idps.get(link.idpId);
  if (idp === undefined || (idp.orgId !== '' && idp.orgId !== orgId)) throw refusal('COMMAND-39nf2');
  return idp;
}

/** An external user belongs to one user of the instance. */
export function checkLinkIsFree(store: Store, link: LinkRow): void {
  if (store.users.by('link', linkKey(link)).length === 0) return;
  throw notUnique('User.ExternalIDP');
}
