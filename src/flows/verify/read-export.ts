/** An organization in; what only an export shows of its people (metadata, links, whether there is a password) out. */
import type { Client } from '../../api/client.ts';
import type { ApiError } from '../../api/api-error.ts';
import { parseElements } from '../../lib/json-parse.ts';
import { scanJson } from '../../lib/json-scan.ts';
import type { Expectations } from './expectations.ts';

const lists = ['humanUsers', 'userMetadata', 'userLinks'] as const;
const timeout = 600_000;

/** Undefined where all was seen; else why the service gives no export. The answer is never held as a whole. */
export async function seeExport(
  client: Client,
  org: string,
  expectations: Expectations,
): Promise<ApiError | undefined> {
  const end = await client.attempt({
    method: 'POST',
    path: '/admin/v1/export',
    body: { orgIds: [org], withPasswords: true, timeout: '10m0s' },
    repeat: 'safe',
    timeout,
    receive: async (blocks) => {
      let list = '';
      const arrays = lists.map((name) => ['orgs', '*', name]);
      for await (const item of scanJson('the export', blocks, { arrays })) {
        if (item.kind === 'open') list = item.path.at(-1) ?? '';
        if (item.kind !== 'batch') continue;
        for (const entry of parseElements(item.bytes)) see(list, entry as Entry, expectations);
      }
    },
  });
  return end.ok ? undefined : end.error;
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

function see(list: string, entry: Entry, expectations: Expectations): void {
  const person = expectations.byTargetId(entry.userId ?? entry.id ?? '');
  if (person === -1) return;
  if (list === 'userMetadata') expectations.seeMetadata(person, entry.key ?? '', entry.value ?? '');
  if (list === 'userLinks') expectations.seeLink(person, entry.idpId ?? '', entry.providedUserId ?? '');
  if (list === 'humanUsers' && (entry.user?.hashedPassword?.value ?? '') !== '')
    expectations.seePassword(person);
}
