/** A detail of a person in, the text by which it is compared out. */

/** Base64 is written in more than one way. */
export function metadataEntry(key: string, value: string): string {
  return `${key}\n${Buffer.from(value, 'base64').toString('base64')}`;
}

export function linkEntry(idpId: string, externalId: string): string {
  return `${idpId}\n${externalId}`;
}

/** Which one it is does not count: the service replaces the hash at the first login. */
export const passwordEntry = 'a password';
