/**
 * The statements that assemble a realm as `kc.sh export` writes it, one JSON text per row, without what is not read. They
 * are the same for PostgreSQL, MySQL and MariaDB, except for a few expressions. Table names are in capitals, because MySQL
 * distinguishes case.
 */
import type { Database } from '../../lib/live-system.ts';
import { createJsonBuilder, type JsonBuilder } from './sql-json.ts';

/** A part of a realm's text: its elements, separated by commas. */
export interface Part {
  readonly before: string;
  /** Each row is a comma followed by an element. */
  readonly sql: string;
  readonly after: string;
  /** SQL that counts the elements. */
  readonly count?: string;
}

/**
 * Returns the parts of a realm. `version` is that of the tables, such as 26.06 for 26.6; `realm` is an id as a SQL
 * literal.
 */
export function partsOfRealm(kind: Database['kind'], version: number, realm: string): readonly Part[] {
  const build = createJsonBuilder(kind);
  const { text, list, object } = build;
  const ofRealm = (table: string) => `${table} T where T.REALM_ID = ${realm}`;
  const isOfOrg = version >= 26 ? (alias: string) => `${alias}.TYPE = 1` : ofOrgGroup;
  const isGroup = (alias: string) => (version < 25 ? '1 = 1' : `not (${isOfOrg(alias)})`);
  const groups = build.dialect.paths(isGroup);
  const role = (R: string) =>
    object({
      ...build.texts(R, 'id', 'name', 'description'),
      composites: object({
        realm: build.realmRoles('COMPOSITE_ROLE', 'COMPOSITE', `${R}.ID`, 'CHILD_ROLE'),
        client: build.clientRoles('COMPOSITE_ROLE', 'COMPOSITE', `${R}.ID`, 'CHILD_ROLE'),
      }),
    });
  const parts: Part[] = [
    {
      before: ',"roles":{"realm":[',
      sql: `select ${element(role('T'))} from ${ofRealm('KEYCLOAK_ROLE')} and T.CLIENT is null order by T.NAME`,
      after: ']',
    },
    {
      before: ',"client":{',
      sql: `select ${element(text('T.CLIENT_ID'), `':'`, orEmpty(list(role('Q'), 'Q.NAME', 'KEYCLOAK_ROLE Q where Q.CLIENT = T.ID')))} from ${ofRealm('CLIENT')} order by T.CLIENT_ID`,
      after: '}}',
    },
    {
      before: ',"groups":[',
      sql: `${groups.before}select ${element(
        object({
          name: text('G.NAME'),
          path: text(groups.path),
          realmRoles: build.realmRoles('GROUP_ROLE_MAPPING', 'GROUP_ID', 'G.ID'),
          clientRoles: build.clientRoles('GROUP_ROLE_MAPPING', 'GROUP_ID', 'G.ID'),
        }),
      )} from KEYCLOAK_GROUP G where G.REALM_ID = ${realm} and ${isGroup('G')} order by ${groups.path}`,
      after: ']',
    },
    {
      before: ',"clients":[',
      sql: `select ${element(client(build))} from ${ofRealm('CLIENT')} order by T.CLIENT_ID`,
      after: ']',
    },
    {
      before: ',"identityProviders":[',
      sql: `select ${element(identityProvider(build))} from ${ofRealm('IDENTITY_PROVIDER')} order by T.PROVIDER_ALIAS`,
      after: ']',
    },
  ];
  if (version >= 25) parts.push(organizations(build, version, realm));
  return [
    ...parts,
    {
      before: ',"users":[',
      sql: `${groups.before}select ${element(user(build, version, groups.path, isGroup('G')))} from USER_ENTITY U where U.REALM_ID = ${realm} order by U.USERNAME`,
      after: ']',
      count: `select count(*) from USER_ENTITY U where U.REALM_ID = ${realm}`,
    },
    {
      before: ',"federatedUsers":[',
      sql: `select ${element(object({ id: text('T.ID') }))} from ${ofRealm('FEDERATED_USER')} order by T.ID`,
      after: ']',
    },
  ];
}

/** An absent list would mean that the export leaves it out. */
const orEmpty = (list: string) => `coalesce(${list}, '[]')`;

const element = (...parts: readonly string[]) => `concat(',', ${parts.join(', ')})`;

const ofOrgGroup = (alias: string) => `exists (select 1 from ORG O where O.GROUP_ID = ${alias}.ID)`;

/** Returns the user in row `U`. */
function user(build: JsonBuilder, version: number, path: string, isGroup: string) {
  const { text, list, object, dialect } = build;
  const { base64, row } = dialect;
  // Version 25 stores a member's organization among the attributes, but does not export it.
  const isOwners = (alias: string) =>
    `${alias}.USER_ID = U.ID${Math.floor(version) === 25 ? ` and ${alias}.NAME <> 'kc.org'` : ''}`;
  const value = version >= 24 ? 'coalesce(V.VALUE, V.LONG_VALUE)' : 'V.VALUE';
  const attributes = dialect.attributes(isOwners, text(value));
  // Since version 8, an old salt stays in its column until the user logs in.
  const secret = `case when C.SALT is null then C.SECRET_DATA else replace(C.SECRET_DATA, '__SALT__', ${base64('C.SALT')}) end`;
  const credential = object({
    ...build.texts('C', 'type', 'credentialData'),
    secretData: text(secret),
  });
  const link = object({
    identityProvider: text('F.IDENTITY_PROVIDER'),
    userId: text('F.FEDERATED_USER_ID'),
    userName: text('F.FEDERATED_USERNAME'),
  });
  return object({
    ...build.texts('U', 'id', 'username', 'firstName', 'lastName', 'email', 'federationLink'),
    ...build.flags('U', 'emailVerified', 'enabled'),
    attributes: build.map('N.NAME', attributes.list, attributes.from),
    serviceAccountClientId: text(
      '(select C.CLIENT_ID from CLIENT C where C.ID = U.SERVICE_ACCOUNT_CLIENT_LINK)',
    ),
    credentials: orEmpty(list(credential, `C.PRIORITY, ${row('C')}`, 'CREDENTIAL C where C.USER_ID = U.ID')),
    requiredActions: list(
      text('A.REQUIRED_ACTION'),
      'A.REQUIRED_ACTION',
      'USER_REQUIRED_ACTION A where A.USER_ID = U.ID',
    ),
    federatedIdentities: list(link, 'F.IDENTITY_PROVIDER', 'FEDERATED_IDENTITY F where F.USER_ID = U.ID'),
    realmRoles: build.realmRoles('USER_ROLE_MAPPING', 'USER_ID', 'U.ID'),
    clientRoles: build.clientRoles('USER_ROLE_MAPPING', 'USER_ID', 'U.ID'),
    clientConsents: list(`'{}'`, 'C.ID', 'USER_CONSENT C where C.USER_ID = U.ID'),
    groups: list(
      text(path),
      'G.NAME',
      `USER_GROUP_MEMBERSHIP M join KEYCLOAK_GROUP G on G.ID = M.GROUP_ID where M.USER_ID = U.ID and ${isGroup}`,
    ),
  });
}

/** Returns the client in row `T`: what becomes an application, and what is reported as lost. */
function client({ text, texts, list, object, flag, flags, map }: JsonBuilder) {
  const scopes = (isDefault: string) =>
    list(
      text('S.NAME'),
      'S.NAME',
      `CLIENT_SCOPE_CLIENT L join CLIENT_SCOPE S on S.ID = L.SCOPE_ID where L.CLIENT_ID = T.ID and ${isDefault}`,
    );
  return object({
    ...texts('T', 'id', 'clientId', 'name', 'rootUrl', 'baseUrl', 'protocol', 'clientAuthenticatorType'),
    adminUrl: text('T.MANAGEMENT_URL'),
    ...flags('T', 'enabled', 'publicClient', 'bearerOnly', 'consentRequired', 'standardFlowEnabled'),
    ...flags('T', 'implicitFlowEnabled', 'directAccessGrantsEnabled', 'serviceAccountsEnabled'),
    ...flags('T', 'fullScopeAllowed'),
    authorizationServicesEnabled: flag('exists (select 1 from RESOURCE_SERVER S where S.ID = T.ID)'),
    redirectUris: list(text('L.VALUE'), 'L.VALUE', 'REDIRECT_URIS L where L.CLIENT_ID = T.ID'),
    webOrigins: list(text('L.VALUE'), 'L.VALUE', 'WEB_ORIGINS L where L.CLIENT_ID = T.ID'),
    attributes: map('L.NAME', text('L.VALUE'), 'CLIENT_ATTRIBUTES L where L.CLIENT_ID = T.ID'),
    protocolMappers: list(text('L.NAME'), 'L.NAME', 'PROTOCOL_MAPPER L where L.CLIENT_ID = T.ID'),
    authenticationFlowBindingOverrides: map(
      'L.BINDING_NAME',
      text('L.FLOW_ID'),
      'CLIENT_AUTH_FLOW_BINDINGS L where L.CLIENT_ID = T.ID',
    ),
    defaultClientScopes: scopes('L.DEFAULT_SCOPE'),
    optionalClientScopes: scopes('not L.DEFAULT_SCOPE'),
  });
}

/** Returns the identity provider in row `T`. */
const identityProvider = ({ text, object, flags, map }: JsonBuilder) =>
  object({
    alias: text('T.PROVIDER_ALIAS'),
    displayName: text('T.PROVIDER_DISPLAY_NAME'),
    providerId: text('T.PROVIDER_ID'),
    ...flags('T', 'enabled', 'trustEmail', 'linkOnly'),
    config: map(
      'K.NAME',
      text('K.VALUE'),
      'IDENTITY_PROVIDER_CONFIG K where K.IDENTITY_PROVIDER_ID = T.INTERNAL_ID',
    ),
  });

/** Returns the organizations. Members and attributes of an organization are those of a group that belongs to it. */
function organizations(build: JsonBuilder, version: number, realm: string): Part {
  const { text, list, object, flag, map } = build;
  const isInside = (alias: string) => `${alias}.ORG_ID = O.ID and ${alias}.ID <> O.GROUP_ID`;
  const isGroup = (alias: string) => `${alias}.TYPE = 1 and not (${ofOrgGroup(alias)})`;
  const hasGroups = version >= 26.06;
  const paths = hasGroups ? build.dialect.paths(isGroup) : { before: '', path: '' };
  const attributes = (id: string) =>
    map('L.NAME', text('L.VALUE'), `GROUP_ATTRIBUTE L where L.GROUP_ID = ${id}`);
  const member = object({
    username: text('U.USERNAME'),
    ...(version >= 26 && { membershipType: text('M.MEMBERSHIP_TYPE') }),
    ...(hasGroups && {
      groups: list(
        text('G.ID'),
        'G.ID',
        `USER_GROUP_MEMBERSHIP I join KEYCLOAK_GROUP G on G.ID = I.GROUP_ID where I.USER_ID = U.ID and ${isInside('G')}`,
      ),
    }),
  });
  const group = object({
    ...build.texts('G', 'id', 'name'),
    path: text(paths.path),
    attributes: attributes('G.ID'),
    realmRoles: build.realmRoles('GROUP_ROLE_MAPPING', 'GROUP_ID', 'G.ID'),
    clientRoles: build.clientRoles('GROUP_ROLE_MAPPING', 'GROUP_ID', 'G.ID'),
  });
  const idps = 'IDENTITY_PROVIDER I where I.ORGANIZATION_ID = O.ID';
  const sql = object({
    ...build.texts('O', 'id', 'name', 'description'),
    alias: text(version >= 26 ? 'O.ALIAS' : 'O.NAME'),
    enabled: flag('O.ENABLED'),
    ...(version >= 26 && { redirectUrl: text('O.REDIRECT_URL') }),
    attributes: attributes('O.GROUP_ID'),
    domains: list(
      object({ name: text('D.NAME'), verified: flag('D.VERIFIED') }),
      'D.NAME',
      'ORG_DOMAIN D where D.ORG_ID = O.ID',
    ),
    members: list(
      member,
      'U.USERNAME',
      'USER_GROUP_MEMBERSHIP M join USER_ENTITY U on U.ID = M.USER_ID where M.GROUP_ID = O.GROUP_ID',
    ),
    ...(version >= 26 && {
      identityProviders: list(object({ alias: text('I.PROVIDER_ALIAS') }), 'I.PROVIDER_ALIAS', idps),
    }),
    ...(hasGroups && { groups: list(group, 'G.NAME', `KEYCLOAK_GROUP G where ${isInside('G')}`) }),
  });
  return {
    before: ',"organizations":[',
    sql: `${paths.before}select ${element(sql)} from ORG O where O.REALM_ID = ${realm} order by O.NAME`,
    after: ']',
  };
}

/** Returns SQL for the database administrator that grants an account everything it must be able to read. */
export function grantStatements() {
  const of = (version: number) => {
    const parts = partsOfRealm('postgres', version, "''").map(({ sql }) => sql);
    const names = `from MIGRATION_MODEL, from REALM ${parts.join(' ')}`.matchAll(
      /\b(?:from|join) ([A-Z_]{3,})/g,
    );
    return [...new Set(Array.from(names, ([, name = '']) => name))].toSorted();
  };
  const always = of(18);
  const organizations = of(99).filter((table) => !always.includes(table));
  const lower = (tables: readonly string[]) => tables.join(', ').toLowerCase();
  const each = (tables: readonly string[]) =>
    tables.map((table) => `GRANT SELECT ON keycloak.${table} TO 'idport'@'%';\n`).join('');
  return `-- PostgreSQL, in the database of Keycloak. The account sees every hash and secret: drop it after the cutover.
CREATE ROLE idport LOGIN PASSWORD 'change-me';
GRANT USAGE ON SCHEMA public TO idport;
GRANT SELECT ON ${lower(always)} TO idport;
-- Keycloak 25 and later
GRANT SELECT ON ${lower(organizations)} TO idport;

-- MySQL and MariaDB
CREATE USER 'idport'@'%' IDENTIFIED BY 'change-me';
${each(always)}-- Keycloak 25 and later
${each(organizations)}`;
}
