/**
 * Exports of the service repeat the members of a project in every organization, and an import takes them only in the
 * organization of the project: the others are told apart here.
 */
import { TextMarks } from '../../compact/text-table.ts';
import { firstTextIn } from '../../lib/json-value.ts';
import { planEntries, type ImportSource, type PlannedEntry } from './entries.ts';

/** Whether an entry is a project member whom the organization of the project has as well. */
export async function findRepeatedMembers(source: ImportSource): Promise<(planned: PlannedEntry) => boolean> {
  const { counts, orgs } = source.scan;
  if (orgs.length < 2 || !counts.has('projectMembers') || !counts.has('projects')) return () => false;
  /** Organizations by project. */
  const owners = new Map<string, string>();
  for await (const { text, orgId } of planEntries(source, ['projects'])) {
    owners.set(projectOf(text), orgId);
  }
  const seen = new TextMarks();
  const add = (text: string, mark: number): number => seen.add(`${projectOf(text)}\n${userOf(text)}`, mark);
  for await (const { text, orgId } of planEntries(source, ['projectMembers']))
    if (owners.get(projectOf(text)) === orgId) add(text, inOwnOrg);
  return ({ list, orgId, text }) => {
    if (list !== 'projectMembers') return false;
    const owner = owners.get(projectOf(text));
    return owner !== undefined && owner !== orgId && add(text, elsewhere) === inOwnOrg;
  };
}

const inOwnOrg = 1;
const elsewhere = 2;

const projectOf = (text: string): string => firstTextIn(text, 'projectId', 'project_id');
const userOf = (text: string): string => firstTextIn(text, 'userId', 'user_id');
