/** Reads what the realms of an input contain besides their users, in file order. */
import { withHead, type Input } from '../../lib/input.ts';
import { firstText } from '../../lib/json-value.ts';
import { elementsOf, parseBatch, releaseElements } from '../elements.ts';
import { recogniseForm, walk, readYamlRealms } from './form.ts';

/** A member of a realm, or some elements of a member that is a list. */
interface RealmItem {
  /** Position in a list of realms, or else 0. */
  readonly root: number;
  /** Name of the realm. Empty until the file has named it. */
  readonly realm: string;
  /** Name of the member. `realm` is the realm's name itself; of `users` and `federatedUsers` the value is left out. */
  readonly name: string;
  readonly value: unknown;
}

/** About the longest string in JavaScript. A client, or a group with all its subgroups, must fit into it. */
const maxElementBytes = 512 * 1000 * 1000;

/** Yields the organizations and these `members` of realms, and whether there are users. Throws `InputError`. */
export async function* realmItems(input: Input, members: readonly string[]): AsyncGenerator<RealmItem> {
  const { head, blocks } = await withHead(input.blocks());
  const form = recogniseForm(head, input.name);
  if (form === 'yaml') {
    let root = 0;
    for await (const found of readYamlRealms(input.name, blocks)) {
      const realm = firstText(found, 'realm');
      for (const name of ['realm', 'organizations', 'users', ...members])
        yield { root, realm, name, value: found[name] };
      root++;
    }
    return;
  }
  // Lists of users contain nothing else.
  if (form === 'sequence' || form === 'users' || form === 'pages')
    return void (await blocks.return(undefined));
  for await (const { item, ...place } of walk(input.name, blocks, form, members, { maxElementBytes })) {
    if (item.kind === 'field') yield { ...place, value: place.realm };
    if (item.kind !== 'batch' && item.kind !== 'value') continue;
    const { bytes, offset } = item;
    const elements =
      item.kind === 'batch'
        ? elementsOf(item)
        : ({ form: 'elements', bytes, offset, cuts: [], count: 1 } as const);
    const isUsers = place.name === 'users' || place.name === 'federatedUsers';
    const values = isUsers ? [] : [...parseBatch({ input: input.name, elements })];
    yield { ...place, value: item.kind === 'batch' ? values : values[0] };
    if (item.kind === 'batch') releaseElements(elements);
  }
}
