/** The forms of a file of organizations, and the paths to each member of an organization in them. */
import { entryKinds } from '../../wire/org-entries.ts';
import { snakeCase } from '../../wire/member-names.ts';

/**
 * `body` is what `migrate` writes and the import takes, `export` what the service gives, or what is cut out of that.
 */
export type BodyForm = 'body' | 'body-v1' | 'export';

type Path = readonly string[];

/** Each form with the keys that lead to its list of organizations, in both forms. */
const roots: readonly (readonly [BodyForm, Path])[] = [
  ['body', ['dataOrgs', 'orgs']],
  ['body', ['data_orgs', 'orgs']],
  ['body-v1', ['dataOrgsv1', 'orgs']],
  ['body-v1', ['data_orgsv1', 'orgs']],
  ['export', ['orgs']],
  // A list of organizations alone, and one organization alone; last, because each path begins so.
  ['export', ['*']],
  ['export', []],
];

/** No organization has such a member: that it is missing is reported at the end of each one. */
export const orgEnd = '\u0000end';

const members = entryKinds.flatMap(({ members }) => members ?? []);
/** Lists by the sign of the table, and members that are lists but travel whole. */
export const listNames = entryKinds.filter((kind) => kind.members === undefined).map(({ name }) => name);
export const memberNames = members;

/** Where `names` stand in an organization, in every form and form. */
export function pathsOf(names: readonly string[]): Path[] {
  return roots.flatMap(([, root]) =>
    names.flatMap((name) => variants(name).map((variant) => [...elementsOf(root), variant])),
  );
}

/** The root is the organization or the list of them itself; else there is a list of them at its end. */
function elementsOf(root: Path): Path {
  return root.length < 2 && root[0] !== 'orgs' ? root : [...root, '*'];
}

/** Beside the organizations. */
export const timeoutPath: Path = ['timeout'];

export function formOf(path: Path): BodyForm | undefined {
  return roots.find(([, root]) => root.every((key, depth) => path[depth] === key))?.[0];
}

/** The member's name in lowerCamelCase. */
export function nameOf(path: Path): string {
  const last = path.at(-1) ?? '';
  return byVariant.get(last) ?? last;
}

function variants(name: string): string[] {
  return [...new Set([name, snakeCase(name)])];
}

const byVariant = new Map(
  [...listNames, ...members, 'orgId'].flatMap((name) =>
    variants(name).map((variant) => [variant, name] as const),
  ),
);
