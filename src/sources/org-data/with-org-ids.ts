/** Gives the organizations, projects and applications of a body the ids that they have at the target. */
import type { Input } from '../../lib/input.ts';

/** Maps ids of the body to new IDs. */
export type OrgIds = ReadonlyMap<string, string>;

/**
 * Returns the input with new ids, or the same input if no id changes. Texts of users stay as they are: in JSON, a text
 * cannot contain such quotes.
 */
export function withOrgIds(input: Input, ids: OrgIds): Input {
  if (ids.size === 0) return input;
  const { name, size, repeatable } = input;
  return {
    name,
    size,
    repeatable,
    taken: () => input.taken(),
    blocks: (rewrite) => replaceIds(input.blocks(rewrite), ids),
  };
}

const idPattern =
  /((?:orgId|grantedOrgId|org_id|granted_org_id|projectId|project_id|appId|app_id)"\s*:\s*")([^"\\]{1,200})(?=")/g;
/** Longer than any key with its id, which may be split between two blocks. */
const longest = 300;

async function* replaceIds(blocks: AsyncIterable<Uint8Array>, ids: OrgIds): AsyncGenerator<Uint8Array> {
  // In latin1, one character is one byte.
  const replace = (text: string): Uint8Array =>
    Buffer.from(
      text.replace(idPattern, (all, key: string, id: string) => {
        const found = ids.get(id);
        return found === undefined ? all : `${key}${found}`;
      }),
      'latin1',
    );
  let rest = '';
  for await (const block of blocks) {
    const text = rest + Buffer.from(block).toString('latin1');
    const end = Math.max(text.length - longest, 0);
    const from = Math.max(end - longest, 0);
    // Do not cut inside a key with its ID. It is complete here, because `longest` characters follow.
    const split = [...text.slice(from).matchAll(idPattern)].find(
      ({ 0: { length }, index }) => from + index < end && end <= from + index + length,
    );
    const cut = split === undefined ? end : from + split.index;
    rest = text.slice(cut);
    if (cut > 0) yield replace(text.slice(0, cut));
  }
  if (rest !== '') yield replace(rest);
}
