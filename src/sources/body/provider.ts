/**
 * An import body (or an export of the service) as a provider: its users are read as the service will read them, and
 * nothing is fixed. What the service would refuse is rejected here with the reason.
 */
import { UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { parseElements } from '../../json/parse.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { firstText, isObject } from '../../lib/json-value.ts';
import { scanJson } from '../../json/scan.ts';
import { elementsOf, longElement } from '../elements.ts';
import { nameOf, orgEnd, pathsOf } from '../org-data/layout.ts';
import { listFroms } from '../providers.ts';
import type { Notice, Provider, RawBatch } from '../source.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { type BodyContext, createBodyReader } from './read.ts';

/** Nothing can be asked for: a body is what it is. */
export type BodyOptions = Record<string, never>;

const lists = pathsOf(['humanUsers', 'machineUsers']);
const ends = pathsOf([orgEnd]);
const orgIds = pathsOf(['orgId']);
const domainLists = pathsOf(['domains']);
const orgNames = pathsOf(['org']).map((path) => [...path, 'name']);
/**
 * What a batch makes stands in memory until its last user is sent: few at a time, and the garbage
 * collector never copies them.
 */
const batchBytes = 32 * 1024;

export const body: Provider<BodyOptions, BodyContext> = {
  name: 'body',
  title: 'import body',
  readOptions: () => ({}),
  choose(folder) {
    throw new UsageError(`${folder} is a folder`, { hint: 'Name the import body in it.' });
  },
  async *scan(inputs, _options, notify) {
    for (const input of inputs) {
      let found = false;
      for await (const batch of scanBody(input)) {
        found = true;
        yield batch;
      }
      if (!found) notify(noUsers(input));
    }
  },
  reader: createBodyReader,
};

/** Most likely the export of a provider, given without `--from`. */
function noUsers({ name }: Input): Notice {
  return {
    level: 'warning',
    code: 'input:no-users',
    text:
      `no users in ${name}: an import body has them under dataOrgs.orgs; ` +
      `for the export of a provider name it: ${listFroms()}`,
  };
}

async function* scanBody(input: Input): AsyncGenerator<RawBatch<BodyContext>> {
  let list: BodyContext['list'] = 'humanUsers';
  let orgId = '';
  for await (const item of scanJson(input.name, input.blocks(), {
    arrays: [...lists, ...ends],
    fields: orgIds,
    batchBytes,
    records: true,
  })) {
    if (item.kind === 'field') orgId = typeof item.value === 'string' ? item.value : '';
    if (item.kind === 'absent' && item.path.at(-1) === orgEnd) orgId = '';
    if (item.kind === 'open') list = nameOf(item.path) === 'machineUsers' ? 'machineUsers' : 'humanUsers';
    if (item.kind === 'batch' || item.kind === 'long') {
      const elements = item.kind === 'long' ? longElement(item) : elementsOf(item);
      yield { input: input.name, elements, context: { list, orgId } };
    }
  }
}

/** The organizations of a body, each once. Reads the whole body. */
export async function readOrgs(input: Input): Promise<TargetOrg[]> {
  const orgs = new Map<string, TargetOrg>();
  let orgId = '';
  let name = '';
  let domains: string[] = [];
  for await (const item of scanJson(input.name, input.blocks(), {
    arrays: [...ends, ...domainLists],
    fields: [...orgIds, ...orgNames],
  })) {
    if (item.kind === 'field' && typeof item.value === 'string') {
      if (nameOf(item.path) === 'orgId') orgId = item.value;
      else name = item.value;
    }
    if (item.kind === 'batch') {
      for (const entry of parseElements(item.bytes)) {
        const domain = isObject(entry) ? firstText(entry, 'domainName', 'domain_name') : '';
        if (domain !== '') domains.push(domain);
      }
      batchMemory.release(item.bytes.buffer);
    }
    if (item.kind !== 'absent' || item.path.at(-1) !== orgEnd) continue;
    const known = orgs.get(orgId);
    if (orgId !== '') {
      orgs.set(orgId, { orgId, name: known?.name || name, domains: [...(known?.domains ?? []), ...domains] });
    }
    orgId = name = '';
    domains = [];
  }
  return [...orgs.values()];
}

/** Their ids. */
export async function readOrgIds(input: Input): Promise<string[]> {
  return (await readOrgs(input)).map(({ orgId }) => orgId);
}
