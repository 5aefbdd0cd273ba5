/** Lays out an inspection as titled tables, for the screen and for Markdown. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { printable, formatCount, formatCounted, shellWord } from '../../lib/format.ts';
import type { Counted, Inspection } from './inspect.ts';

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

function tablesOf(inspection: Inspection) {
  const { secondFactors, duplicates, rejections, lost } = inspection;
  return [
    ...userTables(inspection),
    counted('Second factors', secondFactors),
    ...partTables(inspection),
    fieldTable(inspection),
    counted('Duplicates', duplicates),
    counted('Rejected', rejections),
    counted('Not migrated', lost),
  ].filter(({ rows }) => rows.length > 0);
}

function counted(title: string, rows: readonly Counted[]): Table {
  return { title, head: ['What', 'Number'], rows: rows.map(({ what, count }) => [what, count]) };
}

function userTables({ users, passwords, targetProfile }: Inspection): Table[] {
  return [
    {
      title: 'Users',
      head: ['Outcome', 'Users'],
      rows: [
        ['read', users.read],
        ['migrated', users.written + users.withNotes],
        ['rejected', users.rejected],
        ['skipped', users.skipped],
        ['service accounts among those migrated', users.machines],
        ['inactive among those migrated', users.inactive],
      ],
    },
    {
      title: `Passwords, judged by the target profile ${targetProfile}`,
      head: ['Algorithm', 'Users', 'Accepted', 'What to do'],
      rows: passwords.map(({ algorithm, users, isAccepted, problem, remedy }) => {
        if (algorithm === 'none') return ['no password hash', users, '', 'They set a new password.'];
        if (algorithm === 'placeholder') {
          return ['placeholder password', users, '', 'idport jit checks the old one at the first login.'];
        }
        return [algorithm, users, isAccepted ? 'yes' : `no: ${problem}`, remedy];
      }),
    },
  ];
}

/** Lists the roles that most users have first. */
function partTables(inspection: Inspection): Table[] {
  const { organizations, roles, groups, applications, identityProviders } = inspection;
  return [
    {
      title: 'Organizations',
      head: ['Key', 'Name', 'Domains', 'Members', 'State'],
      rows: organizations.map(({ key, name, domains, members, isEnabled }) => [
        key,
        name,
        domains.map((domain) => `${domain.name}${domain.isVerified ? ' (verified)' : ''}`).join(', '),
        members,
        stateOf(isEnabled),
      ]),
    },
    {
      title: 'Roles',
      head: ['Role', 'Users that have it directly', 'Includes'],
      rows: roles
        .toSorted((a, b) => b.users - a.users)
        .map(({ key, users, includes }) => [key, users, includes.join(', ')]),
    },
    {
      title: 'Groups',
      head: ['Group', 'Users', 'Roles'],
      rows: groups.map(({ path, users, roles }) => [path, users, roles.join(', ')]),
    },
    {
      title: 'Applications',
      head: ['Client', 'Protocol', 'Access', 'Redirect URIs', 'State'],
      rows: applications.map(({ name, protocol, access, redirectUris, isEnabled }) => [
        name,
        protocol,
        access,
        redirectUris.join(', '),
        stateOf(isEnabled),
      ]),
    },
    providerTable(identityProviders),
  ];
}

function fieldTable({ fields, users }: Inspection): Table {
  const shareOf = (part: number) => (users.read === 0 ? '' : `${Math.round((100 * part) / users.read)} %`);
  const rows = fields.map(({ name, filled }) => [name, filled, shareOf(filled)]);
  return { title: 'Filled fields', head: ['Field', 'Users', 'Share'], rows };
}

function stateOf(isEnabled: boolean) {
  return isEnabled ? 'enabled' : 'disabled';
}

export function toMarkdown(inspection: Inspection) {
  const { source, inputs } = inspection;
  const title = `# ${markdownText(`${source}: ${inputs.join(', ')}`)}`;
  const tables = tablesOf(inspection).flatMap(({ title, head, rows }) => markdownTable(title, head, rows));
  return `${[title, '', ...tables].join('\n')}\n`.replace(/\n+$/, '\n');
}

type Providers = Pick<Inspection, 'identityProviders'>;

/** Formats `inspect --idps`: only the identity providers, and the flag to fill in for each. */
export function toProviderList({ identityProviders }: Providers) {
  if (identityProviders.length === 0)
    return 'The export has no identity providers, and no user has a link to one.\n';
  const aliases = new Set(identityProviders.map(({ alias }) => alias).filter(Boolean));
  const flags = Array.from(aliases, (alias) => `  --idp=${printable(shellWord(`${alias}=configId`))}`);
  const table = screenTable(providerTable(identityProviders), Infinity);
  const advice =
    'Create each at the target, put its id in the place of configId, and give these to migrate or import-users:';
  return [table, '', advice, ...flags, ''].join('\n');
}

function providerTable(providers: Inspection['identityProviders']): Table {
  return {
    title: 'Identity providers',
    head: ['Alias', 'Kind', 'Users', 'State'],
    rows: providers.map(({ alias, kind, users, isEnabled }) => [alias, kind, users, stateOf(isEnabled)]),
  };
}

/** Most rows of a table on the screen. Markdown and JSON have all. */
const shownRows = 25;
/** Most characters of a cell on the screen, except in the last column. */
const cellWidth = 60;

export function toText(inspection: Inspection) {
  const { source, inputs } = inspection;
  const blocks = tablesOf(inspection).map((table) => screenTable(table, shownRows));
  return `${printable(`${source}: ${inputs.join(', ')}`)}\n\n${blocks.join('\n\n')}\n`;
}

function screenTable({ title, head, rows }: Table, maxRows: number) {
  // The last column, which may be advice, is never cut.
  const last = head.length - 1;
  const shown = [head, ...rows.slice(0, maxRows)].map((cells) =>
    cells.map((cell, column) => cellText(cell, column === last ? Infinity : cellWidth)),
  );
  const widths = head.map((_, column) => Math.max(...shown.map((cells) => cells[column]!.length)));
  // Align numbers to the right.
  const pad = (cell: string, column: number) =>
    typeof rows[0]![column] === 'number' ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  const lines = shown.map((cells) =>
    `  ${cells.map((cell, column) => pad(cell, column)).join('  ')}`.trimEnd(),
  );
  const more = rows.length - maxRows;
  if (more > 0) lines.push(`  and ${formatCounted(more, 'more row')}: --format=markdown shows all`);
  return [title, ...lines].join('\n');
}

function cellText(cell: string | number, width: number) {
  const text = typeof cell === 'number' ? formatCount(cell) : printable(cell);
  return text.length > width ? `${text.slice(0, width - 3)}...` : text;
}
