/**
 * An import body (or an export of the service) as a provider: its users are read as the service will read them, and
 * nothing is fixed. What the service would refuse is rejected here with the reason.
 */
import { UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { scanJson } from '../../json/scan.ts';
import { elementsOf } from '../elements.ts';
import { orgEnd } from '../org-data/layout.ts';
import { listFroms } from '../providers.ts';
import type { Notice, Provider, RawBatch } from '../source.ts';
import { type BodyContext, createBodyReader } from './read.ts';

/** Nothing can be asked for: a body is what it is. */
export type BodyOptions = Record<string, never>;

const paths = (['dataOrgs', 'dataOrgsv1'] as const).flatMap((root) =>
  (['humanUsers', 'machineUsers'] as const).map((list) => [root, 'orgs', '*', list]),
);
/**
 * What a batch makes stands in memory until its last user is sent: few at a time, and the garbage
 * collector never copies them.
 */
const batchBytes = 32 * 1024;
const barePaths = [
  ['orgs', '*', 'humanUsers'],
  ['orgs', '*', 'machineUsers'],
];
const roots = [
  ['dataOrgs', 'orgs', '*'],
  ['dataOrgsv1', 'orgs', '*'],
  ['orgs', '*'],
];
const ends = roots.map((root) => [...root, orgEnd]);
const orgIds = roots.map((root) => [...root, 'orgId']);

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
    arrays: [...paths, ...barePaths, ...ends],
    fields: orgIds,
    batchBytes,
  })) {
    if (item.kind === 'field') orgId = typeof item.value === 'string' ? item.value : '';
    if (item.kind === 'absent' && item.path.at(-1) === orgEnd) orgId = '';
    if (item.kind === 'open') list = item.path.at(-1) === 'machineUsers' ? 'machineUsers' : 'humanUsers';
    if (item.kind === 'batch')
      yield { input: input.name, elements: elementsOf(item), context: { list, orgId } };
  }
}

/** The organizations that a body names, each once. Reads the whole body. */
export async function readOrgIds(input: Input): Promise<string[]> {
  const found = new Set<string>();
  for await (const item of scanJson(input.name, input.blocks(), { arrays: [], fields: orgIds })) {
    if (item.kind === 'field' && typeof item.value === 'string' && item.value !== '') found.add(item.value);
  }
  return [...found];
}
