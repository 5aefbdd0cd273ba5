/** Reads who is in which organization: of a realm, and of the files of `--memberships`. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../compact/hash-text.ts';
import { MembershipList } from '../../compact/membership-table.ts';
import { InputError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject, readJsonId } from '../../lib/json-value.ts';
import type { SourceOrg } from '../../records/organization.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import { readRows, type ReadRowsContext } from '../source/read-rows.ts';
import { type Members, memberId, memberName } from './choose-org.ts';

export interface MembersRequest extends ReadRowsContext {
  readonly provider: ProviderName;
  readonly options: ProviderOptions[ProviderName];
  readonly inputs: readonly Input[];
  /** Files of `--memberships`. */
  readonly memberships: readonly Input[];
}

/** Throws `InputError`. */
export async function readMembers(request: MembersRequest): Promise<Members> {
  const draft = new MembersDraft();
  const provider = await loadProvider(request.provider);
  for await (const { members, ...org } of provider.organizations?.(request.inputs, request.options) ?? []) {
    request.signal.throwIfAborted();
    draft.indexOf(org);
    for (const name of members) draft.add(memberName(name), org);
  }
  for (const input of request.memberships) await readFile(input, draft, request);
  return draft.finish();
}

class MembersDraft {
  readonly #list = new MembershipList();
  readonly #orgs: SourceOrg[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #seed = randomInt(2 ** 32);
  readonly #words = new Uint32Array(2);

  /** Adds one that is new. */
  indexOf(org: SourceOrg): number {
    const [key = ''] = org.keys;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.#orgs.length);
    return this.#orgs.push(org) - 1;
  }

  add(member: string, org: SourceOrg): void {
    const index = this.indexOf(org);
    hashText(member, this.#seed, this.#words, 0);
    this.#list.add(this.#words[0]!, this.#words[1]!, index);
  }

  finish(): Members {
    return { memory: this.#list.toMemory(), seed: this.#seed, orgs: this.#orgs };
  }
}

/** JSON, JSON lines or CSV: one membership a record. */
async function readFile(input: Input, draft: MembersDraft, context: ReadRowsContext): Promise<void> {
  let place = 0;
  for await (const row of readRows(input, context)) {
    place++;
    const found = readMembership(row);
    if (found === undefined) throw noMembership(input.name, place);
    draft.add(memberId(found.userId), found.org);
  }
}

function noMembership(name: string, place: number): InputError {
  return new InputError('input:membership', name, `record ${place} is no membership`, {
    hint: 'Each needs the id of a user (user_id) and of an organization (organization_id, org_id, or organization with an id).',
  });
}

interface Membership {
  readonly userId: string;
  readonly org: SourceOrg;
}

/** As in lists of Auth0, Clerk, WorkOS or Logto; undefined where one of the two ids is missing. */
export function readMembership(row: unknown): Membership | undefined {
  if (!isObject(row)) return undefined;
  const organization = objectIn(row, 'organization', 'org');
  const userId = readMemberId(row);
  const id =
    textIn(row, 'organization_id', 'organizationId', 'org_id', 'orgId', 'tenant_id', 'tenantId') ||
    textIn(organization, 'id') ||
    textIn(row, 'organization', 'org');
  const slug = textIn(organization, 'slug');
  const name =
    textIn(organization, 'display_name', 'name') ||
    textIn(row, 'organization_name', 'organizationName', 'org_name', 'orgName') ||
    slug ||
    id;
  if (userId === '' || id === '') return undefined;
  return { userId, org: { keys: [id, slug, name].filter((key) => key !== ''), name, domains: [] } };
}

/** The id of the user whom a record is about; empty where there is none. */
export function readMemberId(row: JsonObject): string {
  const user = objectIn(row, 'public_user_data', 'user');
  return textIn(row, 'user_id', 'userId') || textIn(user, 'user_id', 'userId', 'id');
}

function objectIn(row: JsonObject, ...names: readonly string[]): JsonObject {
  const found = names.map((name) => row[name]).find(isObject);
  return found ?? {};
}

/** The first of the fields that has a text or a number. */
export function textIn(row: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const text = readJsonId(row[name]);
    if (text !== undefined && text !== '') return text;
  }
  return '';
}
