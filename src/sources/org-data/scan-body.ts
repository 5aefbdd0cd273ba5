/** Scans a file of organizations once: which organizations it contains, and how many entries each list has. */
import { createHash } from 'node:crypto';
import { InputError } from '../../errors.ts';
import { formatDuration, parseDuration } from '../../lib/go-duration.ts';
import type { Input } from '../../lib/input.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { count, type Counts } from '../../records/tally.ts';
import { entryKinds, firstFormMembers } from '../../wire/org-entries.ts';
import type { Notice } from '../../notice.ts';
import {
  type BodyForm,
  describeLost,
  groupOf,
  listNames,
  memberNames,
  organizationsIn,
} from './organizations.ts';

export interface OrgScan {
  readonly orgId: string;
  /** Empty if the body has no name. The service can create an organization that has a name. */
  readonly name: string;
  readonly domains: readonly string[];
  /** Number of entries by list. A group (`org`, `policies`) counts as one if any of its members is present. */
  readonly counts: ReadonlyMap<string, number>;
}

export type BodyScan = Awaited<ReturnType<typeof scanBody>>;

/**
 * Scans the file. Entries of lists are not parsed. Throws `InputError` if the input is not JSON, has no organizations, or has one
 * without an ID.
 */
export async function scanBody(input: Input) {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* hashed() {
    for await (const block of input.blocks()) {
      hash.update(block);
      bytes += block.length;
      yield block;
    }
  }
  let form: BodyForm | undefined;
  let isFirst = false;
  let timeout: string | undefined;
  let lost: readonly Notice[] = [];
  const orgs: OrgScan[] = [];
  let counts: Counts = new Map();
  const options = { lists: listNames, members: memberNames };
  for await (const item of organizationsIn(input.name, hashed(), options)) {
    if (item.kind === 'timeout') timeout = readTimeout(input.name, item.value);
    if (item.kind === 'lost') lost = describeLost(input.name, item.value);
    if (item.kind === 'batch') count(counts, item.list, item.count);
    if (item.kind === 'member') {
      const value = tryParseJson(item.text);
      if (value === undefined)
        throw new InputError('input:syntax', input.name, `${item.name} of an organization is not JSON`);
      if (value === null) continue;
      if (firstFormMembers.includes(item.name)) isFirst = true;
      counts.set(groupOf(item.name), 1);
    }
    if (item.kind !== 'end') continue;
    if (item.org.orgId === '')
      throw new InputError(
        'input:org',
        input.name,
        `organization ${orgs.length + 1} has no orgId`,
        'Give each organization the id that it has, or will have, at the target.',
      );
    form ??= item.form;
    const { orgId, name, domains } = item.org;
    orgs.push({ orgId, name, domains, counts });
    counts = new Map();
  }
  if (form === undefined)
    throw new InputError(
      'input:org',
      input.name,
      'there are no organizations in it',
      'An import takes what `idport migrate` writes ({"dataOrgs":{"orgs":[...]}}), or an export ({"orgs":[...]}). Convert the export of another provider with `idport migrate` first.',
    );
  const sums = entryKinds.map(
    ({ name }) => [name, orgs.reduce((sum, org) => sum + (org.counts.get(name) ?? 0), 0)] as const,
  );
  return {
    /** Whether the data is of the first major version. */
    firstForm: isFirst || form === 'body-v1',
    /** In Go's normal form. Undefined if the file has none. */
    timeout,
    /** Warnings about organizations that the source could not export. */
    lost,
    orgs,
    /** Number of entries by list in all organizations, in the service's order. Lists without entries are left out. */
    counts: new Map(sums.filter(([, sum]) => sum > 0)),
    /** Hash of the uncompressed bytes. */
    sha256: hash.digest('hex'),
    bytes,
  };
}

function readTimeout(input: string, value: unknown) {
  const failed = (problem: string) =>
    new InputError(
      'input:timeout',
      input,
      `its timeout is invalid: ${problem}`,
      'Write it like 30m0s. Or pass --timeout.',
    );
  return formatDuration(parseDuration(String(value), failed));
}
