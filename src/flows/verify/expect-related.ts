/** What an import body says of its users in lists of their own: metadata and links. */
import { readLinkCalls, readMetadataCalls } from '../source/related-entries.ts';
import type { UserSource } from '../source/read-users.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { linkEntry, metadataEntry } from './read-details.ts';

export async function expectRelated({ inputs }: UserSource, users: ExpectedUsers): Promise<void> {
  for (const input of inputs) {
    for await (const { userId, metadata } of readMetadataCalls(input)) {
      const user = users.byId(userId);
      if (user === -1) continue;
      for (const { key, value } of metadata) users.expect(user, 'metadata', metadataEntry(key, value));
    }
    for await (const { userId, idpId, externalId } of readLinkCalls(input)) {
      const user = users.byId(userId);
      if (user !== -1) users.expect(user, 'links', linkEntry(idpId, externalId));
    }
  }
}
