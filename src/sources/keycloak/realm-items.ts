/** Reads what the realms of an input hold beside their users, in the order of the file. */
import { JsonSyntaxError } from '../../json/error.ts';
import { scanJson } from '../../json/scan.ts';
import { withHead } from '../../lib/head.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, type JsonObject, objectsIn } from '../../lib/json-value.ts';
import { elementsOf, parseBatch, releaseElements } from '../elements.ts';
import { layoutOf, recogniseForm } from './form.ts';
import { readYamlRealms } from './yaml.ts';

/** Some organizations of a realm, or some of its members. */
interface RealmItem {
  /** Place in a list of realms, else 0. */
  readonly root: number;
  /** Its name; empty until the file has said it. */
  readonly realm: string;
  readonly organizations: readonly JsonObject[];
  readonly members: JsonObject;
}

const headBytes = 64 * 1024;
/** A list of all clients or groups is one member. */
const maxElementBytes = 1024 * 1024 * 1024;

/** `members` are those of a realm that are to be read as a whole. Throws `InputError`. */
export async function* realmItems(input: Input, members: readonly string[]): AsyncGenerator<RealmItem> {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  const form = recogniseForm(head);
  let root = 0;
  let realm = '';
  if (form === 'yaml') {
    for await (const members of readYamlRealms(input.name, blocks)) {
      realm = firstText(members, 'realm');
      yield { root: root++, realm, organizations: objectsIn(members['organizations']), members };
    }
    return;
  }
  // Lists of users hold nothing else.
  if (form === 'sequence' || form === 'users') return void (await blocks.return(undefined));
  let list = '';
  for await (const item of scanJson(input.name, blocks, { ...layoutOf(form, members), maxElementBytes })) {
    if ('root' in item && item.root !== root) {
      root = item.root;
      realm = '';
    }
    const of = { root, realm, organizations: [], members: {} };
    if (item.kind === 'open') list = item.path.at(-1) ?? '';
    if (item.kind === 'field') {
      realm = String(item.value);
      yield { ...of, realm, members: { realm } };
    }
    if (item.kind === 'value') {
      const value = await parseMember(input.name, item);
      yield { ...of, members: { [item.path.at(-1) ?? '']: value } };
    }
    if (item.kind !== 'batch') continue;
    const elements = elementsOf(item);
    if (list === 'organizations') {
      const values = parseBatch({ input: input.name, elements, context: undefined });
      yield { ...of, organizations: objectsIn([...values]) };
    }
    releaseElements(elements);
  }
}

async function parseMember(
  input: string,
  { bytes, offset }: { readonly bytes: Uint8Array; readonly offset: number },
): Promise<unknown> {
  // It brings a library that nothing else needs.
  const { parseInPieces } = await import('../../json/in-pieces.ts');
  try {
    return await parseInPieces(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? error.toInputError(input, offset) : error;
  }
}
