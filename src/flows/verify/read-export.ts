/** An organization in; what an export shows of its people (metadata, links, whether there is a password) out. */
import type { Client } from '../../api/client.ts';
import type { ApiError } from '../../api/api-error.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { parseElements } from '../../lib/json-parse.ts';
import { scanJson } from '../../lib/json-scan.ts';
import { linkEntry, metadataEntry, passwordEntry } from './detail-entries.ts';
import type { Expectations } from './expected-users.ts';

const lists = ['humanUsers', 'machineUsers', 'userMetadata', 'userLinks'] as const;
const timeout = 600_000;

/** Undefined where all was seen; else why the service gives no export. The answer is never held as a whole. */
export async function seeExport(
  client: Client,
  org: string,
  number: number,
  people: Expectations,
): Promise<ApiError | undefined> {
  const forget = (): void => {
    for (let person = 0; person < people.size; person++) {
      if (people.isFound(person) && people.orgOf(person) === number) people.forget(person);
    }
  };
  const end = await client.attempt({
    method: 'POST',
    path: '/admin/v1/export',
    body: { orgIds: [org], withPasswords: true, timeout: '10m0s' },
    repeat: 'safe',
    timeout,
    receive: async (blocks) => {
      // Called anew where an answer broke off.
      forget();
      let list = '';
      const arrays = lists.map((name) => ['orgs', '*', name]);
      for await (const item of scanJson('the export', blocks, { arrays })) {
        if (item.kind === 'open') list = item.path.at(-1) ?? '';
        if (item.kind !== 'batch') continue;
        for (const entry of parseElements(item.bytes)) see(list, entry as Entry, people);
        batchMemory.giveBack(item.bytes.buffer);
      }
    },
  });
  if (end.ok) return undefined;
  forget();
  return end.error;
}

interface Entry {
  readonly id?: string;
  readonly userId?: string;
  readonly key?: string;
  readonly value?: string;
  readonly idpId?: string;
  readonly providedUserId?: string;
  readonly user?: { readonly hashedPassword?: { readonly value?: string } };
}

function see(list: string, entry: Entry, people: Expectations): void {
  const person = people.byTargetId(entry.userId ?? entry.id ?? '');
  if (person === -1) return;
  if (list === 'userMetadata') {
    people.see(person, 'metadata', metadataEntry(entry.key ?? '', entry.value ?? ''));
  } else if (list === 'userLinks') {
    people.see(person, 'links', linkEntry(entry.idpId ?? '', entry.providedUserId ?? ''));
  } else {
    people.seeExported(person);
    if ((entry.user?.hashedPassword?.value ?? '') !== '') people.see(person, 'password', passwordEntry);
  }
}
