/** The text of an export in pieces, and its size as protobuf. */
import { setImmediate } from 'node:timers/promises';
import { encode } from '../../wire/codec.ts';
import { entrySize, orgSize, lengthDelimited, responseLimit } from '../../wire/import-size.ts';
import { dataOrg, type DataOrgInput } from '../../wire/org-data.ts';
import type { ExportedOrg } from './org.ts';

/** Length of a piece in characters; other requests run between two pieces. */
const pieceLength = 256 * 1024;

/** The form that a background import takes. Memory does not grow with the number of users. */
export async function* exportText(orgs: Iterable<ExportedOrg>): AsyncGenerator<string> {
  let piece = '{"orgs":[';
  let first = true;
  for (const { org, lists } of orgs) {
    const shell = JSON.stringify(encode(dataOrg, org));
    piece += `${first ? '' : ','}${shell.slice(0, -1)}`;
    first = false;
    for (const [name, entries] of Object.entries(lists)) {
      let separator = `,${JSON.stringify(name)}:[`;
      for (const entry of entries) {
        piece += separator + entryText(name, entry);
        separator = ',';
        if (piece.length < pieceLength) continue;
        yield piece;
        piece = '';
        await setImmediate();
      }
      if (separator === ',') piece += ']';
    }
    piece += '}';
  }
  yield `${piece}]}\n`;
}

function entryText(list: string, entry: unknown): string {
  const encoded = encode(dataOrg, { [list]: [entry] })[list] as readonly unknown[];
  return JSON.stringify(encoded[0]);
}

/** The whole answer, as long as it is not too large to send; beyond that only its size as protobuf. */
export async function collectOrgs(orgs: Iterable<ExportedOrg>) {
  const collected: DataOrgInput[] = [];
  let total = 0;
  for (const { org, lists } of orgs) {
    const whole: Record<string, unknown> = { ...org };
    let size = orgSize(org);
    let walked = 0;
    for (const [name, entries] of Object.entries(lists)) {
      const kept: unknown[] = [];
      for (const entry of entries) {
        size += entrySize(name, entry);
        if (total + size <= responseLimit) kept.push(entry);
        if (++walked % 5000 === 0) await setImmediate();
      }
      whole[name] = kept;
    }
    total += lengthDelimited(1, size);
    if (total <= responseLimit) collected.push(whole);
  }
  return { orgs: total <= responseLimit ? collected : undefined, size: total };
}
