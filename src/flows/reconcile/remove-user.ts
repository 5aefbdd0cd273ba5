/** The id of a user in; nobody of that id at the target any more out. */
import type { Client } from '../../api/client.ts';

/** False where nobody was there. May be repeated: deleting twice is deleting once. Throws `ApiError` for the rest. */
export async function removeUser(client: Client, org: string, id: string): Promise<boolean> {
  const end = await client.attempt({
    method: 'DELETE',
    path: `/management/v1/users/${encodeURIComponent(id)}`,
    org,
    repeat: 'safe',
  });
  if (end.ok) return true;
  // The gateway's own 404 has no id: then the path is unknown, and nothing can be said of the user.
  const { status, id: errorId } = end.error;
  if (status === 404 && errorId !== undefined && !errorId.startsWith('AUTHZ')) return false;
  throw end.error;
}
