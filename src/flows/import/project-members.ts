/**
 * Exports of the service repeat the members of a project in every organization, and an import takes them only in the
 * organization of the project: the others are told apart here.
 */
import { createTextMarks } from '../../storage/text-marks.ts';
import { isObject } from '../../lib/json-value.ts';
import { planEntries, type ImportSource, type PlannedEntry } from './entries.ts';

export interface RepeatedMembers {
  /** Whether it is a project member whom the organization of the project has as well. */
  isRepeat(planned: PlannedEntry): boolean;
  close(): void;
}

const none: RepeatedMembers = { isRepeat: () => false, close: () => undefined };

export async function findRepeatedMembers(source: ImportSource): Promise<RepeatedMembers> {
  const { counts, orgs } = source.scan;
  if (orgs.length < 2 || !counts.has('projectMembers') || !counts.has('projects')) return none;
  /** Organizations by project. */
  const owners = new Map<string, string>();
  for await (const { text, orgId } of planEntries(source, ['projects'])) {
    const [projectId = ''] = readFields(text, [['projectId', 'project_id']]);
    owners.set(projectId, orgId);
  }
  const seen = createTextMarks();
  const add = (projectId: string, userId: string, mark: number): number =>
    seen.add(`${projectId}\n${userId}`, mark);
  for await (const planned of planEntries(source, ['projectMembers'])) {
    const [projectId = '', userId = ''] = readFields(planned.text, memberFields);
    if (owners.get(projectId) === planned.orgId) add(projectId, userId, inOwnOrg);
  }
  return {
    isRepeat({ list, orgId, text }) {
      if (list !== 'projectMembers') return false;
      const [projectId = '', userId = ''] = readFields(text, memberFields);
      const owner = owners.get(projectId);
      if (owner === undefined || owner === orgId) return false;
      return add(projectId, userId, elsewhere) === inOwnOrg;
    },
    close: () => seen.close(),
  };
}

const inOwnOrg = 1;
const elsewhere = 2;

const memberFields = [
  ['projectId', 'project_id'],
  ['userId', 'user_id'],
] as const;

function readFields(text: string, fields: readonly (readonly [string, string])[]): string[] {
  try {
    const entry: unknown = JSON.parse(text);
    return fields.map(([camel, snake]) => {
      const value = isObject(entry) ? (entry[camel] ?? entry[snake]) : undefined;
      return typeof value === 'string' ? value : '';
    });
  } catch {
    return [];
  }
}
