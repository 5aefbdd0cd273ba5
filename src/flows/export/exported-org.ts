/** Reads one organization of an export: counts what is in it, and makes it importable again. */
import type { ExportedOrg } from '../../events.ts';
import { hasPlaceholder } from '../../records/placeholder-password.ts';
import { listNames as lists, organizationsIn } from '../../sources/org-data/organizations.ts';
import { nameInside } from '../../targets/bulk/entry.ts';

export interface ReadOrg {
  readonly summary: ExportedOrg;
  /** The bytes of the organization, verbatim except for repaired users. */
  readonly parts: readonly Uint8Array[];
  /** Machine users that got their id, which exports leave out where an import looks for it. */
  readonly repaired: number;
}

/** Throws `InputError` for anything but a JSON object. `name` is for messages. */
export async function readOrg(name: string, org: Uint8Array): Promise<ReadOrg> {
  const counts: Record<string, number> = {};
  const parts: Uint8Array[] = [];
  const summary = { orgId: '', name: '', passwords: 0, otp: 0 };
  let done = 0;
  let repaired = 0;
  const options = { lists, batchBytes: 1, maxElementBytes: org.length };
  for await (const item of organizationsIn(name, once(org), options)) {
    if (item.kind === 'end') Object.assign(summary, { orgId: item.org.orgId, name: item.org.name });
    if (item.kind !== 'batch') continue;
    const { list } = item;
    counts[list] = (counts[list] ?? 0) + item.count;
    if (list === 'humanUsers') {
      const text = Buffer.from(item.bytes).toString('latin1');
      if (/"hashedPassword"\s*:/.test(text) && !hasPlaceholder(text)) summary.passwords += 1;
      if (/"otpCode"\s*:/.test(text)) summary.otp += 1;
    }
    if (list !== 'machineUsers') continue;
    const text = Buffer.from(item.bytes).toString('utf8');
    const whole = nameInside(text);
    if (whole === text) continue;
    parts.push(org.subarray(done, item.offset), Buffer.from(whole));
    done = item.offset + item.bytes.length;
    repaired += 1;
  }
  parts.push(org.subarray(done));
  return { summary: { ...summary, counts }, parts, repaired };
}

// eslint-disable-next-line typescript/require-await -- the scanner reads what comes in time
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
