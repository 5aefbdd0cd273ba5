/** Finds the organization and the roles of each record at the target. Runs on every thread. */
import type { TargetOrg } from '../../records/organization.ts';
import type { MachineRecord, Note, UserRecord } from '../../records/user.ts';
import type { RecordParts } from '../../sources/parts.ts';
import type { RoleReader } from '../../sources/source.ts';
import { createOrgChooser, noteRolesLeft, type OrgSettings } from '../orgs/choose-org.ts';
import { createRoleChooser, type RoleSettings } from '../roles/choose-roles.ts';

export interface PlaceSettings {
  /** Where users go to several organizations. */
  readonly orgs?: OrgSettings | undefined;
  /** Where roles become those of a project. */
  readonly roles?: RoleSettings | undefined;
}

/** Of a provider: what a raw record has beside its user. */
export interface RecordFinders {
  partsOf?(value: unknown): RecordParts;
  readonly roles?: Pick<RoleReader, 'of' | 'kindOf'>;
}

/** Nothing in it where all users go to one organization, without roles. */
export interface Placed<Read extends UserRecord | MachineRecord> {
  /** With the notes of what is left behind. */
  readonly record: Read;
  readonly org?: TargetOrg | undefined;
  /** In the organization of the user. */
  readonly roleKeys?: readonly string[] | undefined;
  /** In further ones. */
  readonly granted?: readonly { readonly org: TargetOrg; readonly keys: readonly string[] }[] | undefined;
}

export type Placer = <Read extends UserRecord | MachineRecord>(
  raw: unknown,
  record: Read,
  realm: string,
) => Placed<Read>;

export function createPlacer({ orgs, roles }: PlaceSettings, finders: RecordFinders): Placer {
  const choose = orgs === undefined ? undefined : createOrgChooser(orgs);
  const chooseRoles = roles === undefined ? undefined : createRoleChooser(roles, finders.roles);
  const isPlain = choose === undefined && chooseRoles === undefined;
  return (raw, record, realm) => {
    if (isPlain && record.organizations === undefined) return { record };
    const place = choose?.({ raw, record, realm, parts: finders.partsOf?.(raw) });
    const inOrg = place?.home.flatMap((home) => home.roles);
    const chosen = chooseRoles?.atHome(raw, record, realm, inOrg);
    const granted = place?.granted.map(({ org, roles: there }) => ({
      org,
      ...(chooseRoles?.inFurther(there) ?? { keys: [], notes: [] }),
    }));
    const notes = [
      ...(chosen === undefined ? record.notes : [...record.notes.filter(isStillTrue), ...chosen.notes]),
      ...(granted ?? []).flatMap((grant) => grant.notes),
      ...(place?.note === undefined ? [] : [place.note]),
      ...noteRolesLeft(record, place, orgs, chooseRoles !== undefined),
    ];
    return { record: { ...record, notes }, org: place?.org, roleKeys: chosen?.keys, granted };
  };
}

/** With `--roles`. */
const isStillTrue = ({ code }: Note): boolean => code !== 'role:not-migrated';
