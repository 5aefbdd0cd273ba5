/** Lists the users of an organization page by page, while the answer comes in. */
import type { Client } from '../../api/client.ts';
import { NetworkFailure } from '../../api/network.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { parseElements } from '../../json/parse.ts';
import { scanJson } from '../../json/scan.ts';
import { userV1, type UserV1 } from '../../wire/user.ts';

const pageSize = 1000;

/**
 * By the time of creation, so that users who are added meanwhile come last. A page is about a megabyte, and is never held as
 * a whole: `take` gets some users at a time; the same ones again where an answer broke off and was requested again.
 */
export async function listUsers(
  client: Client,
  org: string,
  take: (users: readonly UserV1[]) => Promise<void>,
): Promise<void> {
  let offset = 0;
  for (let isLast = false; !isLast;) {
    const query = { offset: String(offset), limit: pageSize, asc: true };
    let count = 0;
    await client.call({
      method: 'POST',
      path: '/management/v1/users/_search',
      body: { query, sortingColumn: 'USER_FIELD_NAME_CREATION_DATE' },
      org,
      receive: async (blocks) => {
        count = 0;
        for await (const users of readUsers(blocks)) {
          count += users.length;
          await take(users);
        }
      },
    });
    offset += count;
    isLast = count < pageSize;
  }
}

async function* readUsers(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<UserV1[]> {
  try {
    for await (const item of scanJson('the list of users', blocks, { arrays: [['result']] })) {
      if (item.kind !== 'batch') continue;
      const { bytes } = item;
      yield [...parseElements(bytes)].map((user) => userV1.parse(user));
      batchMemory.release(bytes.buffer);
    }
  } catch (error) {
    if (error instanceof NetworkFailure) throw error;
    // From a captive portal or a proxy: requested once more, like an answer that broke off.
    throw new NetworkFailure('response', 'NONSENSE', "the answer is not the service's", error);
  }
}
