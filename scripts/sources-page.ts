/** docs/sources.md and a page for each built-in source, out of their mappings. */
import { givesNone, movesOf } from '../src/sources/table/describe.ts';
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';
import type { Mapping } from '../src/sources/table/mapping/schema.ts';
import type { Value } from '../src/sources/table/mapping/value-schema.ts';

const intro = `# Built-in sources

Each of these is a mapping file ([the format](mapping.md)) that comes with the program. \`idport migrate <name> --print-map\`
prints it, to take over and change. Further tables are joined with \`--table <name>=<path>\`; out of an SQL dump they are read
by themselves. [Keycloak](providers/keycloak.md) has a reader of its own, and [Auth0](providers/auth0.md) adds the files of its support to its mapping.

All of them run in the tests on a fixture of our own: converted, checked, imported, logged in with the known passwords,
verified. The last column says what else was read: a real export, which the program of the source wrote; a sample, published
by others or made after the source code; or nothing else, and the format is known from its documentation and source code only.

| Source | Command | Passwords | Tested with |
|---|---|---|---|
`;

const outro = `
Left out, because nothing of them can be moved that a mapping of your own cannot: Userfront, which is shut down; Dex, whose
passwords stand in its configuration (\`idport migrate json\` with a mapping); LLDAP and Passbolt, which have no hashes.

A file that looks like the export of another source stops with exit code 2 and the command for it; \`--force-provider\` reads it
all the same.
`;

/** How far a mapping is proven, by `about.proven`. */
const proofs = {
  export: { column: 'a real export', sentence: 'Tested with a real export.' },
  sample: {
    column: 'a sample',
    sentence:
      '**Not tested with a real export**, only with a sample that others published or that follows the source code.',
  },
  fixture: {
    column: 'the reference only',
    sentence: '**Not tested with a real export**: written from the documentation and the source code.',
  },
} as const;

export function formatSourcesPage(mappings: readonly Mapping[]): string {
  const rows = mappings.map(({ name = '', title = '', password, about }) => {
    const { column } = proofs[about?.proven ?? 'fixture'];
    return `| [${title}](sources/${name}.md) | \`idport migrate ${name}\` | ${passwordWords(password)} | ${column} |`;
  });
  return `${intro}${rows.join('\n')}\n${outro}`;
}

/** Which of the hashes move, in a few words. */
function passwordWords(password: Mapping['password']): string {
  if (givesNone(password)) return 'none: the source gives no hashes out';
  if (password?.none !== undefined) return password.none;
  const { converts = '' } = decoderOf(password);
  return converts === '' ? 'none can move' : converts;
}

function decoderOf(password: Mapping['password']): { readonly converts?: string; readonly refuses?: string } {
  const name = typeof password?.format === 'string' ? password.format : 'auto';
  return hashDecoders.get(name) ?? {};
}

/** The page of one source. */
export function formatSourcePage(mapping: Mapping): string {
  const { name = '', title = '', about, tables = {}, where = [] } = mapping;
  const { export: exports = [], traps = [], cannot = [], before = [] } = about ?? {};
  const tableFlags = Object.keys(tables).map((table) => ` --table ${table}=<file>`);
  return [
    `# ${title}`,
    '',
    '<!-- Written by `npm run docs` from the mapping of the source. -->',
    '',
    [proofs[about?.proven ?? 'fixture'].sentence, ...ranWords(about)].join(' '),
    '',
    '```text',
    `idport migrate ${name} --org=<id> --users=<file>${tableFlags.join('')}`,
    '```',
    '',
    ...section('Export', exports),
    ...(Object.keys(tables).length === 0
      ? []
      : [
          `Tables to join, each of them optional: ${list(
            Object.entries(tables).map(([table, { from }]) =>
              from === undefined
                ? `\`${table}\``
                : `\`${table}\` (${from
                    .split('|')
                    .map((one) => `\`${one}\``)
                    .join(' or ')} in a dump)`,
            ),
          )}.`,
          '',
        ]),
    '## What moves',
    '',
    `${capital(list([...movesOf(mapping.user)]))}.`,
    '',
    '| Field | Comes from |',
    '|---|---|',
    ...fieldRows(mapping),
    '',
    ...section(
      'Left out',
      where
        .flatMap(({ skip }) => skip ?? [])
        .map((skip) => `rows that are ${/^(?:not|without|another)/.test(skip) ? skip : `marked as ${skip}`}`),
    ),
    ...passwordSection(mapping),
    ...section('What looks right and is not', [...traps, ...verifiedTrap(mapping)]),
    ...section('What cannot move', cannot),
    ...withoutPassword(mapping, before),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

/** Which versions of the source ran for the tests. */
function ranWords({ proven, versions = [] }: NonNullable<Mapping['about']> = {}): string[] {
  if (versions.length === 0) return [];
  return proven === 'export'
    ? [`Exported, converted, imported and signed in with: ${list(versions)}.`]
    : [`The hashes of its fixture are from the real program: ${list(versions)}.`];
}

function section(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`## ${heading}`, '', ...items.map((item) => `- ${escape(item)}`), ''];
}

function passwordSection({ password }: Mapping): string[] {
  const { converts = '', refuses = '' } = decoderOf(password);
  if (givesNone(password)) return ['## Passwords', '', `None: ${password?.none}.`, ''];
  return [
    '## Passwords',
    '',
    ...(password?.none === undefined ? [] : [`- ${password.none}.`]),
    `- Move: ${converts === '' ? 'none' : converts}`,
    ...(refuses === '' ? [] : [`- Refused, with a reason in the report: ${refuses}`]),
    '',
  ];
}

function verifiedTrap({ user }: Mapping): string[] {
  return user.emailVerified === 'unknown'
    ? [
        'The source does not say whether an address is verified. With `--email-verified` every one is taken as verified; without it each user has to open an email before the first login, also with a password that moves.',
      ]
    : [];
}

/** What is particular to this source of the options that docs/passwords.md lists. */
function withoutPassword(
  { title = '', about, user, password }: Mapping,
  before: readonly string[],
): string[] {
  const particular = [
    ...(user.links === undefined ? [`This export has no ids for links to ${title}.`] : []),
    ...(about?.jit === undefined
      ? []
      : [`The verifier of \`idport jit\` that can ask this source: \`--verifier ${about.jit}:<file>\`.`]),
    ...hasher(before, password),
  ];
  return [
    '## Users without a usable password',
    '',
    'The options, best first: [passwords](../passwords.md#users-without-a-usable-password).',
    '',
    ...particular.map((line) => `- ${line}`),
    '',
  ];
}

function hasher(before: readonly string[], password: Mapping['password']): string[] {
  if (before.length > 0) return [`Before the cutover, at the source: ${before.map(escape).join(' ')}`];
  return password?.none === undefined ? ['No switch of the source to another hasher is known.'] : [];
}

const fields = [
  ['id', 'id'],
  ['userName', 'user name'],
  ['email', 'email'],
  ['givenName', 'first name'],
  ['familyName', 'last name'],
  ['fullName', 'full name, split'],
  ['nickName', 'nickname'],
  ['displayName', 'display name'],
  ['language', 'language'],
  ['gender', 'gender'],
  ['phone', 'phone'],
] as const;

function fieldRows({ user, password }: Mapping): string[] {
  const rows = fields.flatMap(([field, title]) =>
    user[field] === undefined ? [] : [[title, columns(user[field])] as const],
  );
  const links = [user.links ?? []]
    .flat()
    .flatMap(({ each, externalUserId }) => each ?? columnsOf(externalUserId));
  const otp = [user.otp ?? []].flat().flatMap(({ from }) => columnsOf(from));
  const more = [
    ['links', links],
    ['TOTP', otp],
    ['recovery codes', columnsOf(user.recoveryCodes?.from)],
    ['metadata, with `--metadata`', Object.values(user.metadata ?? {}).flatMap(columnsOf)],
    ['password hash', columnsOf(password?.from)],
  ] as const;
  return [...rows, ...more.map(([title, found]) => [title, code(found)] as const)]
    .filter(([, found]) => found !== '')
    .map(([title, found]) => `| ${title} | ${found} |`);
}

function columns(value: Value): string {
  return code(columnsOf(value));
}

function code(paths: readonly string[]): string {
  return [...new Set(paths)].map((path) => `\`${path.replaceAll('|', '\\|')}\``).join(', ');
}

/** The paths in a value, whatever is done to them. */
function columnsOf(value: Value | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(columnsOf);
  const { from, first, all } = value;
  const each = first ?? all;
  return [...columnsOf(from), ...(each === undefined ? [] : [each.of])];
}

function list(items: readonly string[]): string {
  return items.join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Texts outside of code that Markdown or a link check would take for something else. */
function escape(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('');
}
