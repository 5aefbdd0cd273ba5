/** Finds the organization and the roles of each record at the target. Runs on every thread. */
import type { TargetOrg } from '../../records/resource.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import type { RecordParts, RoleReader } from '../../sources/source.ts';
import { createOrgChooser, noteRolesLeft, type OrgSettings } from '../orgs/choose-org.ts';
import { createRoleChooser, type RoleSettings } from '../roles/choose-roles.ts';

export interface PlaceSettings {
  /** Set if users go to several organizations. */
  readonly orgs?: OrgSettings | undefined;
  /** Set if roles become those of a project. */
  readonly roles?: RoleSettings | undefined;
}

/** Functions of a provider that find organizations and roles in a raw record. */
export interface RecordFinders {
  partsOf?(value: unknown): RecordParts;
  readonly roles?: Pick<RoleReader, 'of' | 'kindOf'>;
}

/** Empty if all users go to one organization, without roles. */
export interface Placement {
  readonly org?: TargetOrg | undefined;
  /** Roles in the organization of the user. */
  readonly roleKeys?: readonly string[] | undefined;
  /** Roles in further organizations. */
  readonly granted?: readonly { readonly org: TargetOrg; readonly keys: readonly string[] }[] | undefined;
}

const nowhere: Placement = {};

/** Returns a function that sets the organization of a record and adds notes of what is left behind. */
export function createPlacer({ orgs, roles }: PlaceSettings, finders: RecordFinders) {
  const choose = orgs && createOrgChooser(orgs);
  const chooseRoles = roles && createRoleChooser(roles, finders.roles);
  const isPlain = choose === undefined && chooseRoles === undefined;
  return (raw: unknown, record: AcceptedRecord, realm: string) => {
    if (isPlain && record.organizations === undefined) return nowhere;
    const place = choose?.({ raw, record, realm, parts: finders.partsOf?.(raw) });
    const inOrg = place?.home.flatMap((home) => home.roles);
    const chosen = chooseRoles?.atHome(raw, record, realm, inOrg);
    const granted = place?.granted.map(({ org, roles: there }) => ({
      org,
      ...(chooseRoles?.inFurther(there) ?? { keys: [], notes: [] }),
    }));
    if (chosen !== undefined) {
      // The roles are migrated now.
      const others = record.notes.filter(({ code }) => code !== 'role:not-migrated');
      record.notes = [...others, ...chosen.notes];
    }
    for (const { notes } of granted ?? []) record.notes.push(...notes);
    if (place?.note !== undefined) record.notes.push(place.note);
    record.notes.push(...noteRolesLeft(record, place, orgs, chooseRoles !== undefined));
    if (place !== undefined) record.orgId = place.org.orgId;
    return { org: place?.org, roleKeys: chosen?.keys, granted };
  };
}
