/** Drafts a mapping from what the columns of a table look like. Every guess is marked as one. */
import { isObject } from '../../lib/json-value.ts';
import { printable } from '../../lib/format.ts';
import { defaultMapping, schemaComment } from '../../sources/table/built-in-mappings.ts';
import { createCaseMatch, type OpenRows } from '../../sources/table/forms/form.ts';
import { maySayState, plain, unusedColumns } from '../../sources/table/mapping/columns.ts';
import { columnsOf } from '../../sources/table/mapping/reader.ts';
import type { Mapping } from '../../sources/table/mapping/schema.ts';
import type { Condition, Value } from '../../sources/table/mapping/value-schema.ts';
import { type Column, type Columns, digestOf } from './columns.ts';

/** A built-in mapping that fits. */
export interface KnownMapping {
  readonly name: string;
  readonly text: string;
  readonly mapping: Mapping;
}

/** Returns the built-in mapping, and what it leaves out. `table` has the users, if the mapping names another. */
export function describeKnown(
  file: string,
  found: Columns,
  { name, text, mapping }: KnownMapping,
  table: string | undefined,
) {
  const { known, ownNames } = columnsOf(mapping);
  const match = createCaseMatch(ownNames);
  const columns = found.columns.map((column, at) => ({
    ...column,
    name: mapping.source?.titles?.[at] ?? match(column.name),
  }));
  const rest = unusedColumns(
    known,
    columns.map((column) => column.name),
  );
  return [
    table === undefined
      ? text.trimEnd()
      : text.trimEnd().replace(/^(source: .*table: )(?:'[^']*'|[\w.]+)/m, `$1${scalar(table)}`),
    `# It looks like an export that idport migrate ${name} reads${table === undefined ? ': without --map, this mapping is used' : '. For its table of users, give this mapping as --map'}.`,
    ...columnLines(file, { ...found, columns }),
    ...(rest.length === 0 ? [] : [`# Columns that no line names: ${rest.map(oneLine).join(', ')}`]),
    '',
  ].join('\n');
}

export function draftMapping(
  file: string,
  found: Columns,
  source: NonNullable<Mapping['source']>,
  rows: OpenRows,
) {
  const { columns } = found;
  const taken = new Set<string>();
  const user = userLines(columns, taken);
  const password = passwordLines(columns, taken);
  const rest = columns
    .filter(({ name }) => !taken.has(name) && !maySayState(name))
    .map(({ name }) => `  - ${scalar(name)}`);
  const gone = columns.find(
    ({ name, looks }) => !taken.has(name) && looks.has('times') && /^delet/i.test(name),
  );
  return [
    schemaComment.trimEnd(),
    '# A draft. Lines with "guess" were guessed: check each.',
    ...columnLines(file, found),
    'idport: 1',
    ...sourceLines(source, rows),
    'user:',
    ...user,
    ...password,
    ...(gone === undefined
      ? []
      : ['where:', `  - { skip: deleted, when: { present: ${pathOf(gone)} } } # guess`]),
    ...(rest.length === 0
      ? []
      : [
          '# Columns that no line names: carry them under user.metadata, or leave them here.',
          'unused:',
          ...rest,
        ]),
    '',
  ].join('\n');
}

/** Returns what the mapping has to say of the file itself. */
function sourceLines(
  { encoding, format, list }: NonNullable<Mapping['source']>,
  { table, unread = new Set(), isNumbered, columns = [] }: OpenRows,
) {
  const [chosen, others] = [table?.(), [...unread]];
  const lines = [
    format && `  format: ${format} # each user has its own key: @name`,
    list && `  list: ${scalar(list)} # guess`,
    chosen && `  table: ${scalar(chosen)}`,
    others[0] &&
      `  # The dump also has rows of ${others.slice(0, 30).map(oneLine).join(', ')}: docs/mapping-reference.md joins them.`,
    encoding !== 'utf8' &&
      `  encoding: ${encoding} # guess: it is not UTF-8; docs/mapping-reference.md lists the others`,
    isNumbered && '  # No row of titles: name each column, here and below.',
    isNumbered && `  titles: [${columns.join(', ')}]`,
  ].filter((line) => typeof line === 'string');
  return lines.length === 0 ? [] : ['source:', ...lines];
}

function columnLines(file: string, { rows, columns }: Columns) {
  return [
    `# The columns of the first ${rows === 1 ? 'row' : `${rows} rows`} of ${oneLine(file)}: how many have something in them, and what it looks like:`,
    ...columns.map((column) => `#   ${describeColumn(column, rows)}`),
  ];
}

function describeColumn({ name, filled, looks }: Column, rows: number) {
  const most = [...looks].sort(([, one], [, other]) => other - one).slice(0, 3);
  const kinds = most.map(([kind, count]) => (most.length === 1 ? kind : `${kind} (${count})`));
  return `${oneLine(name)}: ${[`${filled} of ${rows}`, ...kinds].join(', ')}`;
}

/** Names that need a mapping, because they may mean something else. Includes German and French ones, without accents. */
const furtherNames: Readonly<Record<string, string>> = {
  id: 'uid guid @name user_id id_user usr_id member_id id_member customer_id id_customer member_no customer_no nr kundennr kunden_nr kd_nr kundennummer kunden_id mitgliedsnr mitgliedsnummer benutzer_id',
  userName:
    'benutzername benutzer anmeldename login_name member_name okta_username nom_utilisateur nom_d_utilisateur identifiant',
  email: 'user_email primary_email e_mail_adresse adresse_email courriel',
  emailVerified:
    'email_confirmed email_confirmed_at is_email_verified is_email_confirmed verified_email verified is_verified confirmed',
  givenName: 'given first fname forename vorname prenom',
  familyName: 'family last lname surname sn nachname familienname nom_de_famille',
  fullName: 'nom nom_complet',
  language: 'lang sprache langue',
  phone: 'mobile mobile_phone tel telephone telephone_number telefon telefonnummer mobil',
};

/** Fields whose default may be wrong if the mapping does not set them. */
const toDecide = {
  id: 'id: ... # without it, ids are made of the user names',
  email: 'email: ... # without it, no user is taken, unless --email-fallback makes addresses up',
  emailVerified: 'emailVerified: true # without it, every address counts as unverified',
  state: 'state: { inactive: { column: ... } } # without it, every user is active',
  links:
    'links: { alias: ..., externalUserId: ... } # provider and its id of the user: without it, no linked login moves',
} as const;

function userLines(columns: readonly Column[], taken: Set<string>) {
  const lines: string[] = [];
  for (const [field, value] of Object.entries(defaultMapping.user)) {
    const names = [...namesIn(value as Value), ...(furtherNames[field]?.split(' ') ?? [])];
    // Next to a first name in German or French, `name` means the last name.
    if (field === 'familyName' && find(columns, ['vorname', 'prenom'], new Set()) !== undefined)
      names.push('name', 'nom');
    const alike = columns.filter((one) => looksLike[field]?.(one));
    const column =
      find(columns, names, taken) ??
      alike.find((one) => one.filled > 0 && !isUnclear(field, one)) ??
      alike[0];
    if (column === undefined) continue;
    taken.add(column.name);
    const when = field === 'otp' ? columns.find(saysEnrolled) : undefined;
    if (when !== undefined) taken.add(when.name);
    const line = `${field}: ${written(field, column, when)}`;
    lines.push(
      isUnclear(field, column) ? `  # ${line} # guess: name the values that mean it` : `  ${line} # guess`,
    );
  }
  for (const [field, line] of Object.entries(toDecide))
    if (!lines.some((one) => one.includes(`${field}: `))) lines.push(`  # ${line}`);
  return lines.some((line) => !line.startsWith('  #'))
    ? lines
    : ['  {} # no column has a name that is known', ...lines];
}

const conditions = new Set(['emailVerified', 'phoneVerified', 'state']);
const status = /status|statut/;

/** Reports whether the values do not show which of them mean yes. A wrong guess would lock everyone out. */
function isUnclear(field: string, { name, looks }: Column) {
  return conditions.has(field) && (status.test(plain(name)) || !saysYes(looks));
}

function saysYes(looks: Column['looks']) {
  return [...looks.keys()].every((kind) => /^(?:true or false|0 or 1|times)$/.test(kind));
}

const factors = '(?:t?otp|[2mt]fa|twofa|twofactor)';
const secrets = new RegExp(`${factors}.*(?:secret|key|seed)$`);
const enrolled = new RegExp(
  `^(?:is|has|uses?|google)?${factors}(?:auth(?:entication)?)?(?:is)?(?:on|status|active|activated|enabled|verified|confirmed|requiredforlogin)?(?:at|on)?$`,
);

/** Reports whether a column says who has a second factor: some programs keep a secret for users without one. */
function saysEnrolled({ name, filled, looks }: Column) {
  return filled > 0 && enrolled.test(plain(name)) && saysYes(looks);
}

/** Fields that are also found without a known name. */
const looksLike: Readonly<Record<string, (column: Column) => boolean>> = {
  // Without titles, nothing else shows what the first column is.
  id: ({ name, looks }) => name === 'c1' && /^(?:UUIDs|numbers)$/.test([...looks.keys()].join()),
  email: ({ filled, looks }) => (looks.get('email addresses') ?? 0) > 0.9 * filled,
  state: ({ name }) => maySayState(name),
  otp: ({ name }) => secrets.test(plain(name)),
};

/** Returns all columns that a value or a condition names. */
function namesIn(value: Value | Condition): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const { from, column, present, any, inactive } = value as Readonly<Record<string, Value | Condition>>;
  return [from, column, present, any, inactive].flatMap((inner) =>
    inner === undefined ? [] : namesIn(inner),
  );
}

function find(columns: readonly Column[], names: readonly string[], taken: ReadonlySet<string>) {
  const free = columns.filter(({ name }) => !taken.has(name));
  return names.map(plain).flatMap((expected) => free.filter(({ name }) => plain(name) === expected))[0];
}

const activeWords = 'activ|aktiv|actif|enable|approved|authori[sz]ed|freigeschaltet|nonlocked|nonexpired';
const active = new RegExp(`(?<!in|de|des)(?:${activeWords})`);

function written(field: string, column: Column, when?: Column) {
  const { name, looks } = column;
  const path = pathOf(column);
  const word = plain(name);
  const isActive = active.test(word);
  const says = isUnclear(field, column) ? `{ column: ${path}, is: [...] }` : isSet(column);
  if (field === 'state') {
    const isEnd = (looks.has('times') || looks.size === 0) && /until|till|bis$|expir|validto/.test(word);
    if (!isEnd) return `{ ${isActive ? 'active' : 'inactive'}: ${says} }`;
    return `{ inactive: { ${isActive || /valid|expir|gue?ltig/.test(word) ? 'past' : 'future'}: ${path} } }`;
  }
  if (conditions.has(field)) return says;
  if (field !== 'otp') return path;
  return `{ from: ${path}, encoding: base32${when === undefined ? '' : `, when: ${isSet(when)}`} }`;
}

/** Without values, or with times and others, the rows that follow may hold either. */
function isSet(column: Column) {
  const path = pathOf(column);
  const isTime = column.looks.has('times');
  if (column.looks.size === 0 || (isTime && column.looks.size > 1))
    return `{ all: [{ present: ${path} }, { not: { column: ${path}, is: no } }] }`;
  return `{ ${isTime ? 'present' : 'column'}: ${path} }`;
}

/** Columns of these names hold passwords, whatever they look like. */
const passwordNames =
  'password passwd pass pwd pw passwort kennwort mot_de_passe hash password_hash pass_hash password_digest hashed_password crypted_password encrypted_password user_password user_pass';

function passwordLines(columns: readonly Column[], taken: Set<string>) {
  const [hashed] = columns.filter(({ hashes }) => hashes > 0).sort((one, other) => other.hashes - one.hashes);
  const column =
    hashed ??
    columns.find(
      ({ name, looks }) =>
        /digits/.test([...looks.keys()].join(' ')) && /pass|pw|hash|digest|kennwort|^c\d+$/i.test(name),
    ) ??
    find(columns, passwordNames.split(' '), taken);
  if (column === undefined) {
    const inner = columns.filter(({ looks }) => looks.has('objects')).map(({ name }) => oneLine(name));
    return [
      '# No column looks like password hashes: users are imported without a password.',
      ...(inner.length === 0
        ? []
        : [`# Not examined: ${inner.join(', ')}. Write a field inside as ${inner[0]}.key.`]),
    ];
  }
  taken.add(column.name);
  const kinds = [...column.looks.keys()].slice(0, 3).map(oneLine).join('; ');
  return [
    'password:',
    `  from: ${pathOf(column)} # guess: ${kinds}`,
    ...(column.hashes > 0
      ? ['  format: auto # hashes that name their own algorithm; docs/passwords.md lists the others']
      : digestLines(column, columns)),
    '  # A hash does not show whether the application changed passwords before it hashed them. Check its settings for a pepper',
    '  # and its code for a digest; write none where there is none. --prove checks one login.',
    '  pepper: unknown',
    '  prehash: unknown',
  ];
}

/** Bare digits do not show how they were made. Until the mapping says it, they are not carried over. */
function digestLines(hashed: Column, columns: readonly Column[]) {
  const [length = ''] = [...hashed.looks.keys()].join(' ').match(/\d+(?= hexadecimal digits)/) ?? [];
  if (digestOf[length] === undefined)
    return [
      '  format: auto # no value shows how it was made: name the form (docs/passwords.md), or nothing moves',
    ];
  const salt = columns.find((column) => /(?:^|_|password)(?:salt|salz|sel)$/i.test(column.name));
  return [
    '  format: auto # bare digits do not show how they were made: these users are imported without a password',
    '  # If the code that sets passwords says so, write this in place of from and format, and prove one login:',
    '  #   digest:',
    `  #     of: ${digestOf[length]}(${salt === undefined ? '' : 'salt + '}password)`,
    `  #     key: { from: ${pathOf(hashed)}, encoding: hex }`,
    ...(salt === undefined ? [] : [`  #     salt: { from: ${pathOf(salt)} }`]),
  ];
}

/** Puts a column whose name is not a plain word in brackets. */
function pathOf({ name }: Column) {
  return scalar(/^[\w$-]+$/.test(name) ? name : `["${name}"]`);
}

/** Quotes text for YAML, because names come from untrusted files. */
function scalar(text: string) {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function oneLine(text: string) {
  return printable(text.slice(0, 100));
}
