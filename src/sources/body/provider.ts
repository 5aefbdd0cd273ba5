/**
 * An import body (or an export of the service) as a provider. Its users are read as the service will read them, and
 * nothing is fixed. What the service would refuse is rejected here with the reason.
 */
import { UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { recordsOf } from '../elements.ts';
import { describeLost, organizationsIn } from '../org-data/organizations.ts';
import { listFroms } from '../providers.ts';
import type { Notice, Provider, RawBatch } from '../source.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { type BodyContext, createBodyReader } from './read.ts';

/** There are no options: a body is read as it is. */
export type BodyOptions = Record<string, never>;

/**
 * Everything about a batch stays in memory until its last user is sent. Batches are small, so that the garbage
 * collector never copies them.
 */
const batchBytes = 32 * 1024;

export const body: Provider<BodyOptions, BodyContext> = {
  title: 'import body',
  readOptions: () => ({}),
  choose(folder) {
    throw new UsageError(`${folder} is a folder`, 'Name the import body in it.');
  },
  async *scan(inputs, _options, notify) {
    for (const input of inputs) {
      let found = false;
      for await (const batch of scanBody(input, notify)) {
        found = true;
        yield batch;
      }
      if (!found) notify(noUsers(input));
    }
  },
  reader: createBodyReader,
};

/** Returns a warning. Most likely the input is the export of a provider, given without `--from`. */
function noUsers({ name }: Input): Notice {
  return {
    level: 'warning',
    code: 'input:no-users',
    text:
      `no users in ${name}: an import body has them under dataOrgs.orgs; ` +
      `for the export of a provider name it: ${listFroms()}`,
  };
}

async function* scanBody(
  input: Input,
  notify: (notice: Notice) => void,
): AsyncGenerator<RawBatch<BodyContext>> {
  const lists = ['humanUsers', 'machineUsers'] satisfies BodyContext['list'][];
  const options = { lists, batchBytes, records: true } as const;
  for await (const item of organizationsIn(input.name, input.blocks(), options)) {
    if (item.kind === 'lost') describeLost(input.name, item.value).forEach(notify);
    if (item.kind !== 'batch' && item.kind !== 'long') continue;
    const list = item.list === 'machineUsers' ? item.list : 'humanUsers';
    yield { input: input.name, elements: recordsOf(item), context: { list, orgId: item.org.orgId } };
  }
}

/** Returns the organizations of bodies, each one once. Reads the bodies completely. */
export async function readOrgs(...inputs: readonly Input[]) {
  const orgs = new Map<string, TargetOrg>();
  for (const input of inputs) {
    for await (const { kind, org } of organizationsIn(input.name, input.blocks(), { lists: [] })) {
      const { orgId, name, domains } = org;
      if (kind !== 'end') continue;
      const known = orgs.get(orgId);
      orgs.set(orgId, { orgId, name: known?.name || name, domains: [...(known?.domains ?? []), ...domains] });
    }
  }
  return [...orgs.values()];
}
