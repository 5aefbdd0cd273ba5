/** Makes docs/sources.md and a page for each built-in source from their mappings. */
import { type ExportName, providers } from '../src/sources/providers.ts';
import { givesNone, movesOf } from '../src/sources/table/describe.ts';
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';
import type { Mapping } from '../src/sources/table/mapping/schema.ts';
import type { Value } from '../src/sources/table/mapping/value-schema.ts';

const intro = `# Built-in sources

\`idport migrate <name> --org=<id> --users=<file>\` reads each of these with a [mapping](mapping.md) that comes with the program;
\`--print-map\` prints it. [Keycloak](providers/keycloak.md) and [Auth0](providers/auth0.md) have pages of their own.

The tests convert, check, import and verify a fixture of each source, and sign its users in. The last column says what else they read:

- **export**: a file that the program itself wrote
- **sample**: a file that others published, or one made after the source code
- **documentation**: nothing; the mapping follows documentation and source code. Rehearse, and prove a password.

A file that looks like the export of another source stops the run with exit code 2 and the right command; \`--force-provider\` reads it anyway.

For users without a usable hash, see [their options](passwords.md#users-without-a-usable-password). Where a cost is outside the limits
of the target, the report names the setting that allows it.

| Source | Name | Passwords that move | Tested with |
|---|---|---|---|
`;

const outro = `
Not built in: Userfront (shut down), Dex (passwords in its configuration: \`idport migrate json\` with a mapping and \`format: yaml\`), LLDAP
and Passbolt (no hashes).
`;

/** Words for how far a mapping is proven, by `about.proven`. */
const proofs = {
  export: { column: 'export', sentence: 'Tested with an export' },
  sample: { column: 'sample', sentence: '**Tested with a sample only**' },
  fixture: { column: 'documentation', sentence: '**Not tested**, written from documentation' },
} as const;

export function formatSourcesPage(mappings: readonly Mapping[]): string {
  const rows = mappings.map(({ name = '', title = '', password, about }) => {
    const { column } = proofs[about?.proven ?? 'fixture'];
    return `| [${title}](sources/${name}.md) | \`${name}\` | ${passwordWords(password)} | ${column} |`;
  });
  return `${intro}${rows.join('\n')}\n${outro}`;
}

/** Says in a few words which of the hashes move. */
function passwordWords(password: Mapping['password']): string {
  if (givesNone(password)) return 'none: the source does not export hashes';
  if (password?.none !== undefined) return password.none;
  const { converts = '' } = decoderOf(password);
  return converts === '' ? 'none can move' : converts;
}

function decoderOf(password: Mapping['password']): { readonly converts?: string; readonly refuses?: string } {
  const name = typeof password?.format === 'string' ? password.format : 'auto';
  return hashDecoders.get(name) ?? {};
}

/** Matches what moves without a row in the table of fields. */
const inNoRow = /^(?:disabled users|organizations|roles)/;

/** Returns the command for a source that can be read without an export. */
function liveLine(name: string): string[] {
  const live = providers[name as ExportName]?.live;
  return live === undefined ? [] : [`idport migrate ${name} --org=<id> --${live}=<url>`];
}

export function formatSourcePage(mapping: Mapping): string {
  const { name = '', title = '', about, tables = {}, where = [] } = mapping;
  const { export: exports = [], traps = [], cannot = [] } = about ?? {};
  const others = movesOf(mapping.user).filter((moved) => inNoRow.test(moved));
  const skipped = [...new Set(where.flatMap(({ skip }) => skip ?? []))];
  const tableFlags = Object.keys(tables).length === 0 ? '' : ' --table <name>=<file>';
  return [
    `# ${title}`,
    '',
    '<!-- Generated. -->',
    '',
    `${proofs[about?.proven ?? 'fixture'].sentence}${ranWords(about)}.`,
    '',
    '```text',
    `idport migrate ${name} --org=<id> --users=<file>${tableFlags}`,
    ...liveLine(name),
    '```',
    '',
    ...section('Export', exports),
    ...(Object.keys(tables).length === 0
      ? []
      : [
          `Optional tables: ${list(
            Object.entries(tables).map(([table, { from }]) =>
              from === undefined
                ? `\`${table}\``
                : `\`${table}\` (dump: ${from
                    .split('|')
                    .map((one) => `\`${one}\``)
                    .join(' or ')})`,
            ),
          )}.`,
          '',
        ]),
    '## What moves',
    '',
    '| Field | From |',
    '|---|---|',
    ...fieldRows(mapping),
    '',
    ...(others.length === 0 ? [] : [`Also: ${list(others)}.`, '']),
    ...(skipped.length === 0 ? [] : [`Left out: ${list(skipped)}.`, '']),
    ...passwordSection(mapping),
    ...section('Watch out', traps),
    ...section('What cannot move', cannot),
  ]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()
    .concat('\n');
}

/** Says which versions of the source ran for the tests. */
function ranWords({ proven, versions = [] }: NonNullable<Mapping['about']> = {}): string {
  if (versions.length === 0) return '';
  return proven === 'export'
    ? `: ${list(versions)}`
    : `; the hashes are from the real program: ${list(versions)}`;
}

function section(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`## ${heading}`, '', ...items.map((item) => `- ${escape(item)}`), ''];
}

function passwordSection({ about, password }: Mapping): string[] {
  const { converts = '', refuses = '' } = decoderOf(password);
  const { before = [], jit } = about ?? {};
  const moving = [
    ...(password?.none === undefined ? [] : [`${password.none}.`]),
    `Move: ${converts === '' ? 'none' : converts}`,
    ...(refuses === '' ? [] : [`Refused: ${refuses}`]),
  ];
  const lines = [
    ...(givesNone(password) ? [`None: ${password?.none}.`] : moving),
    ...before.map((text) => `Before the cutover: ${escape(text)}`),
    ...(jit === undefined ? [] : [`At first login: [\`--verifier ${jit}:<file>\`](../jit.md)`]),
  ];
  return ['## Passwords', '', ...lines.map((line) => `- ${line}`), ''];
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

/** Text for sources without a column that says whether an email is verified. */
const unknownVerified = '[`--email-verified`](../emails.md)';

function fieldRows({ user, password }: Mapping): string[] {
  const rows = fields.flatMap(([field, title]) =>
    user[field] === undefined ? [] : [[title, columns(user[field])] as const],
  );
  const links = [user.links ?? []]
    .flat()
    .flatMap(({ each, externalUserId }) => each ?? columnsOf(externalUserId));
  const otp = [user.otp ?? []].flat().flatMap(({ each, from }) => each ?? columnsOf(from));
  const more = [
    ['links', links],
    ['TOTP', otp],
    ['recovery codes', columnsOf(user.recoveryCodes?.from)],
    ['metadata (`--metadata`)', Object.values(user.metadata ?? {}).flatMap(columnsOf)],
    ['password hash', columnsOf(password?.from)],
  ] as const;
  const verified = user.emailVerified === 'unknown' ? [['email verified', unknownVerified] as const] : [];
  return [...rows, ...verified, ...more.map(([title, found]) => [title, code(found)] as const)]
    .filter(([, found]) => found !== '')
    .map(([title, found]) => `| ${title} | ${found} |`);
}

function columns(value: Value): string {
  return code(columnsOf(value));
}

function code(paths: readonly string[]): string {
  return [...new Set(paths)].map((path) => `\`${path.replaceAll('|', '\\|')}\``).join(', ');
}

/** Returns the paths in a value, whatever is done to them. */
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

/** Escapes what Markdown or a link check would misread outside of code. */
function escape(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('');
}
