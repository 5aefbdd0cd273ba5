/** Chooses the organization of a run, the named one, else the only one of the service; or by flags that of each user. */
import { IdportError, UsageError } from '../errors.ts';
import { note } from '../events.ts';
import type { SeenTarget } from '../flows/preflight/who-am-i.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import { formatNames, nameWithId } from '../lib/format.ts';
import { orgById, type OrgRule, type SourceOrg } from '../records/resource.ts';
import { readOrgs } from '../sources/body.ts';
import { listFroms, providers } from '../sources/providers.ts';
import type { Mapping } from '../sources/table/mapping/schema.ts';
import type { CommandContext } from './context.ts';
import type { OpenedSource } from '../flows/read/read-users.ts';
import { readMembers } from '../flows/orgs/read-members.ts';
import { openInputs } from '../storage/open-input.ts';
import type { OrgFlags, RoleFlags } from '../flags/conversion.ts';
import { readIds, readText } from './read-text.ts';

/** Throws `UsageError` if no organization is named and there is no address of a service, or it does not have exactly one. */
export async function chooseOrg(
  { org, ...flags }: ConnectionFlags & { readonly org?: string | undefined },
  context: CommandContext,
) {
  if (org !== undefined) return org;
  if ((flags.url ?? context.env['IDPORT_URL'] ?? '') === '') {
    throw new UsageError(
      '--org <id> is missing',
      'Give the organization that receives the users. With a service in IDPORT_URL that has only one organization, idport takes that one.',
    );
  }
  // Loaded late: the HTTP client takes longer to load than a small export takes to convert.
  const [{ connect, failFast }, { lookAtTarget }] = await Promise.all([
    import('./connect.ts'),
    import('../flows/preflight/who-am-i.ts'),
  ]);
  const client = await connect(flags, context, failFast);
  const { orgs } = await lookAtTarget(client).catch((error: unknown) => {
    if (error instanceof IdportError)
      error.hint = `Pass --org=<id>: without it, the service is asked for its only organization. ${error.hint ?? ''}`;
    throw error;
  });
  return takeOnly(orgs, client.url, context);
}

/** Returns the id of the only organization at `url`. Throws `UsageError` if there is not exactly one. */
export function takeOnly(orgs: SeenTarget['orgs'], url: string, { emit }: CommandContext) {
  const [only] = orgs;
  if (only !== undefined && orgs.length === 1) {
    emit(note('org:chosen', `Organization: ${nameWithId(only.name, only.id)}, the only one of ${url}.`));
    return only.id;
  }
  const names = orgs.map(({ id, name }) => `${id} (${name})`);
  throw new UsageError(
    `--org <id> is missing, and the token sees ${names.length === 0 ? 'no' : names.length} organizations at ${url}`,
    `Give the id of one${names.length === 0 ? '' : `: ${formatNames(names)}`}.`,
  );
}

/** Value of `--org` that sends each user to the organization that the body names. */
export const ofBody = 'body';

/** Returns the named organizations, else those of the bodies. */
export const orgsOf = async (org: readonly string[] | undefined, source: OpenedSource) =>
  org === undefined || org.includes(ofBody) ? orgsOfBodies(source) : org.map(orgById);

/** Returns the organizations of import bodies. Throws `UsageError` if there are none, one has no id, or the source is something else. */
async function orgsOfBodies({ provider, inputs }: OpenedSource) {
  if (provider !== 'body') throw new UsageError(`--org=${ofBody} is for an import body in a file`);
  if (inputs.some(({ repeatable }) => !repeatable)) {
    throw new UsageError(
      '--org <id> is missing',
      'A body on standard input is read once: name its organization, or give a file.',
    );
  }
  const orgs = await readOrgs(...inputs);
  const names = formatNames(inputs.map(({ name }) => name));
  if (orgs.some(({ orgId }) => orgId === '')) {
    throw new UsageError(
      `an organization in ${names} has no orgId`,
      'Give it the id that it has, or will have, at the target.',
    );
  }
  if (orgs.length > 0) return orgs;
  throw new UsageError(
    `no organization is named in ${names}`,
    `An import body has them under dataOrgs.orgs. For the export of a provider give ${listFroms()}, and --org.`,
  );
}

/** Returns how to place users. Undefined if all go to the organization of `--org`. Throws `UsageError` and `InputError`. */
export async function readOrgSettings(
  flags: { readonly org: string } & OrgFlags & Pick<RoleFlags, 'roles'>,
  source: OpenedSource,
  context: CommandContext,
) {
  const { org, orgBy, orgMap, createOrgs, furtherMemberships: further = 'report' } = flags;
  const { memberships = [] } = flags;
  if (orgBy === undefined) return undefined;
  const rule = parseRule(orgBy);
  if (orgMap === undefined && !createOrgs) {
    throw new UsageError(
      '--org-by needs --org-map=<file> or --create-orgs',
      '--org-map names organizations that exist; --create-orgs creates the others.',
    );
  }
  const hasRealms = source.provider !== 'body' && providers[source.provider].realms === true;
  if (rule.by === 'realm' && !hasRealms) {
    throw new UsageError(`--org-by=realm is for Keycloak; ${source.provider} has no realms`, rulesHint);
  }
  if (memberships.length > 0 && rule.by !== 'organization') {
    throw new UsageError('--memberships belongs to --org-by=organization');
  }
  if (further === 'grants' && flags.roles === undefined) {
    throw new UsageError(
      '--further-memberships=grants belongs to --roles',
      'User grants need a project: --roles=new:<name> creates one, --roles=project:<id> uses one that exists.',
    );
  }
  const written =
    orgMap === undefined ? {} : readIds(orgMap, readText(orgMap, context.cwd), 'organization', 'acme');
  // Domains are case-insensitive.
  const fold = (key: string) => (rule.by === 'domain' ? key.toLowerCase() : key);
  const ids = Object.fromEntries(Object.entries(written).map(([key, id]) => [fold(key), id]));
  const settings = { rule, ids, create: createOrgs, fallback: org, further };
  if (rule.by !== 'organization') return settings;
  if (memberships.length === 0 && namesOrganizations(source)) return settings;
  const members = await readMembers(source, openInputs(memberships, context), context);
  if (members.orgs.length === 0) {
    throw new UsageError(
      'no organization with members was found',
      'Organizations of Keycloak are in its realm export. For other sources name the file of members with --memberships, or the column as user.organization in the mapping.',
    );
  }
  if (createOrgs) refuseSameNames(members.orgs, ids);
  return { ...settings, members };
}

/**
 * Throws `UsageError` if organizations to create share a name. The service would create only the first, and users of the
 * others would end up in it.
 */
function refuseSameNames(orgs: readonly SourceOrg[], ids: Readonly<Record<string, string>>) {
  const names = new Map<string, SourceOrg>();
  for (const org of orgs.filter(({ keys }) => !keys.some((key) => Object.hasOwn(ids, key)))) {
    const name = org.name.trim().toLowerCase();
    const other = names.get(name);
    names.set(name, org);
    if (other === undefined) continue;
    throw new UsageError(
      `organizations ${other.keys[0]} and ${org.keys[0]} of the source are both named ${org.name}`,
      'At the target, each name is unique. Name the ids of both in the file of --org-map; an id may be there twice.',
    );
  }
}

/** Reports whether the mapping of a table says which organization a user belongs to. */
function namesOrganizations({ options }: OpenedSource) {
  const { mapping } = options as { readonly mapping?: Mapping };
  return mapping?.user.organization !== undefined || mapping?.user.memberships !== undefined;
}

const rulesHint =
  'It takes realm, organization, domain, group:/customers/*, attribute:tenant or column:tenant_id.';

function parseRule(text: string): OrgRule {
  if (text === 'realm' || text === 'organization' || text === 'domain') return { by: text };
  const [kind, ...rest] = text.split(':');
  const name = rest.join(':').trim();
  if ((kind === 'attribute' || kind === 'column') && name !== '') return { by: 'attribute', name };
  const path = name.split('/').filter((step) => step !== '');
  if (kind === 'group' && path.filter((step) => step === '*').length === 1) return { by: 'group', path };
  throw new UsageError(`--org-by ${text} is not a rule`, rulesHint);
}
