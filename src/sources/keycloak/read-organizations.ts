/** Reads the organizations of realms with their members, before any user: they stand behind the users in the export. */
import { scanJson } from '../../json/scan.ts';
import { withHead } from '../../lib/head.ts';
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { elementsOf, parseBatch } from '../elements.ts';
import type { OrgWithMembers } from '../source.ts';
import { layouts, recogniseForm } from './form.ts';
import { readOrganization } from './organizations.ts';
import { readYamlRealms } from './yaml.ts';

const headBytes = 64 * 1024;

/** Throws `InputError`. */
export async function* readOrganizations(
  inputs: readonly Input[],
  realmName: string | undefined,
): AsyncGenerator<OrgWithMembers> {
  for (const input of inputs) {
    for await (const value of valuesIn(input, realmName)) {
      if (!isObject(value)) continue;
      const { key, id, name, domains, ...rest } = readOrganization(value);
      const keys = [...new Set([key, name, id])].filter((text) => text !== '');
      yield { keys, name, domains: domains.map((domain) => domain.name), ...rest };
    }
  }
}

async function* valuesIn(input: Input, realmName: string | undefined): AsyncGenerator {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  const form = recogniseForm(head);
  if (form === 'yaml') {
    for await (const { realm, organizations } of readYamlRealms(input.name, blocks)) {
      if (realmName === undefined || realm === realmName)
        yield* Array.isArray(organizations) ? organizations : [];
    }
    return;
  }
  if (form === 'sequence' || form === 'users') return void (await blocks.return(undefined));
  let list: string | undefined;
  let realm = '';
  for await (const item of scanJson(input.name, blocks, layouts[form])) {
    if (item.kind === 'field') realm = String(item.value);
    if (item.kind === 'open') list = item.path.at(-1);
    const isChosen = realmName === undefined || realm === realmName;
    if (item.kind !== 'batch' || list !== 'organizations' || !isChosen) continue;
    yield* parseBatch({ input: input.name, elements: elementsOf(item), context: undefined });
  }
}
