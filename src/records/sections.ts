/** Titled rows of counts: what the screen, a Markdown report and the page show about a run, each in its own form. */
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/format.ts';
import { smsCause } from './messages.ts';
import { signInLines, signInRemedy, type ToldSignIn } from './sign-in.ts';
import { mergeSettings, nothingToDo, type Summary, wordsOf } from './summary.ts';

export type Tone = 'good' | 'warning' | 'bad';

export interface Row {
  readonly count?: number;
  /** Count in the source. */
  readonly before?: number;
  readonly text: string;
  /** What to do about it. */
  readonly remarks?: readonly string[];
  readonly tone?: Tone;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly tone?: Tone;
  /** Number of rows that a screen shows. Reports show all. */
  readonly shown?: number;
}

/** Returns the sections of a conversion, a check or an import of users, without the reasons of single users. */
export function runSections(summary: Summary, verb: string, seconds: number): Section[] {
  const { taken, emails } = wordsOf(verb);
  return [
    {
      title: 'Who can sign in',
      rows: [...signInRows(summary.signIn), ...rejectedRows(summary), ...lostFactorRows(summary)],
    },
    countSection(summary, seconds, taken),
    otherSection(summary.others, taken),
    passwordSection(summary.hashes),
    refusalSection(summary.refusals),
    ...lossSections(summary),
    messageSection(emails, summary),
  ];
}

/** Returns a row about rejected users, who are not counted among those who can sign in. */
function rejectedRows({ signIn, rejected }: Summary): Row[] {
  if (signIn.length === 0 || rejected === 0) return [];
  const users = formatCounted(rejected, 'more user is', 'more users are');
  return [{ text: `${users} rejected and cannot sign in unless another run has imported them` }];
}

export function reasonSections({ rejections, skips, notes, notMigrated, refusals }: Summary): Section[] {
  const shown = new Set([...notMigrated.flatMap(({ codes }) => codes), ...refusals.map(({ code }) => code)]);
  const others = notes.filter(({ code }) => !shown.has(code));
  return [
    { title: 'Rejected', tone: 'bad', rows: rejections.map(reasonRow) },
    { title: 'Skipped', rows: skips.map(reasonRow) },
    { title: 'Notes', rows: others.map(reasonRow) },
  ];
}

const reasonRow = ({ count, code, cause, remedy }: Omit<Summary['notes'][number], 'consequence'>): Row => ({
  count,
  text: `${code}: ${cause}`,
  remarks: remedy === nothingToDo ? [] : [remedy],
});

export function signInRows(counts: readonly ToldSignIn[]): Row[] {
  return signInLines(counts).map((text, at) => {
    const remedy = signInRemedy(counts[at]?.kind ?? '');
    return { text, remarks: remedy === '' || remedy === nothingToDo ? [] : [remedy] };
  });
}

function countSection(summary: Summary, seconds: number, taken: string): Section {
  const { read, written, withNotes, rejected, skipped } = summary;
  const all = [written + withNotes, rejected, skipped];
  const notes = withNotes === 0 ? '' : ` (${formatCount(withNotes)} with notes)`;
  const extras: readonly Row[] = [
    { count: summary.machines, text: `${nameOfList('machineUsers', summary.machines)} among them` },
    { count: summary.inactive, text: 'of them inactive' },
    { count: summary.otp, text: 'of them with TOTP' },
    { count: summary.links, text: 'of them with linked logins' },
    { count: summary.metadata, text: nameOfList('userMetadata', summary.metadata) },
  ];
  // Some files hold more than users: a dump of Django has all its models.
  const of = summary.skips.some(({ code }) => code === 'user-skipped:by-mapping') ? 'record' : 'user';
  return {
    title: `${formatCounted(read, of)} read in ${formatSeconds(seconds)}`,
    rows: [
      { count: written + withNotes, text: taken + notes },
      ...extras.filter(({ count }) => count !== 0),
      { count: rejected, text: 'rejected' },
      { count: skipped, text: 'skipped' },
      sumRow(all, read),
    ],
  };
}

export const otherSection = (others: Summary['others'] = [], taken: string): Section => ({
  title: 'Other entries',
  rows: others.map(({ list, read, written, rejected, skipped }) => {
    const counts = Object.entries({ [taken]: written, rejected, skipped });
    const said = counts.flatMap(([what, count]) => (count > 0 ? `${formatCount(count)} ${what}` : []));
    return { count: read, text: `${nameOfList(list, read)}: ${said.join(', ')}` };
  }),
});

/** Singular and plural of lists whose names differ. */
const listNames: Readonly<Record<string, readonly [string, string]>> = {
  humanUsers: ['user', 'users'],
  machineUsers: ['service account', 'service accounts'],
  userMetadata: ['metadata entry', 'metadata entries'],
  userGrants: ['role grant', 'role grants'],
  org: ['organization', 'organizations'],
  policies: ['set of policies', 'sets of policies'],
};

/** Returns the name of a list's entries: `userLinks` becomes `user links`, or `user link` for one. */
export function nameOfList(list: string, count: number) {
  const several = list.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const [one, more] = listNames[list] ?? [several.replace(/s$/, ''), several];
  return count === 1 ? one : more;
}

/** Returns a row that says whether the parts add up to the whole. */
function sumRow(parts: readonly number[], whole: number): Row {
  const sum = parts.map(formatCount).join(' + ');
  return parts.reduce((all, part) => all + part, 0) === whole
    ? { text: `The counts add up: ${sum} = ${formatCount(whole)}.`, tone: 'good' }
    : {
        text: `The counts do not add up: ${sum} is not ${formatCount(whole)}. Please report this.`,
        tone: 'bad',
      };
}

/** `before` is only set if the source is known. */
export function passwordSection(
  hashes: readonly { readonly algorithm: string; readonly before?: number; readonly after: number }[],
): Section {
  const rows = hashes.map(({ algorithm, before, after }): Row => ({
    count: after,
    ...(before !== undefined && { before }),
    text: algorithm === 'none' ? 'without a password hash' : algorithm,
  }));
  return { title: 'Passwords', rows };
}

/**
 * Returns the refused hashes. Settings of all forms are joined into a last row, since each form names only some of
 * them.
 */
export function refusalSection(refusals: readonly Omit<Summary['refusals'][number], 'code'>[]): Section {
  const rows = refusals.map(({ count, algorithm, problem, remedy }): Row => ({
    count,
    text: `${algorithm}: ${problem}`,
    remarks: mergeSettings([remedy]).length === 0 ? [remedy] : [],
  }));
  const settings = mergeSettings(refusals.map(({ remedy }) => remedy));
  const text = refusals.some(({ remedy }) => remedy.startsWith('ZITADEL_'))
    ? 'To take them, the target needs these settings'
    : "To take them, the target needs settings that only the vendor's support can change";
  if (settings.length > 0) rows.push({ text, remarks: [settings.join(' ')] });
  return { title: 'Password hashes that the target would refuse', tone: 'warning', rows };
}

export function lossSections({
  notMigrated,
  aliases,
  notes,
}: Pick<Summary, 'notMigrated' | 'aliases'> & {
  readonly notes: readonly Pick<Summary['notes'][number], 'code' | 'remedy'>[];
}): [losses: Section, aliases: Section] {
  const remediesOf = (codes: readonly string[]) =>
    notes.flatMap(({ code, remedy }) => (codes.includes(code) && remedy !== nothingToDo ? [remedy] : []));
  return [
    {
      title: 'Not migrated, or changed (users)',
      rows: notMigrated.map(({ count, kind, codes }) => ({
        count,
        text: `${kind} (${codes.join(', ')})`,
        remarks: [...new Set(remediesOf(codes))],
      })),
    },
    {
      title: 'Identity providers without a counterpart (users)',
      rows: aliases.map(({ alias, count }) => ({ count, text: alias })),
      shown: 20,
    },
  ];
}

const factorKinds = new Set([
  'one-time passwords',
  'passkeys and security keys',
  'recovery codes',
  'other second factors',
]);

const lostFactors = ({ notMigrated }: Pick<Summary, 'notMigrated'>): Summary['notMigrated'] =>
  notMigrated.filter(({ kind }) => factorKinds.has(kind));

/** Returns a row about second factors that are lost. Users can sign in without them. */
function lostFactorRows(summary: Summary): Row[] {
  const lost = lostFactors(summary).map(({ kind, count }) => `${kind} of ${formatCounted(count, 'user')}`);
  const remarks = ['Sign-in does not ask for these until the users set them up again.'];
  return lost.length === 0 ? [] : [{ text: `Second factors that are lost: ${lost.join(', ')}`, remarks }];
}

export function factorSection({ otp, notMigrated }: Pick<Summary, 'otp' | 'notMigrated'>): Section {
  const rows = [
    { text: 'TOTP, migrated', count: otp },
    ...lostFactors({ notMigrated }).map(({ kind, codes, count }) => ({
      text: `${kind}, not migrated (${codes.join(', ')})`,
      count,
    })),
  ];
  return { title: 'Second factors', rows: rows.filter(({ count }) => count > 0) };
}

export function messageSection(
  title: string,
  {
    emails,
    sms,
  }: { readonly emails: readonly Omit<Summary['emails'][number], 'kind'>[]; readonly sms: number },
): Section {
  const rows = emails.map(({ count, cause }) => ({ count, text: cause }));
  return { title, tone: 'warning', rows: [...rows, ...(sms > 0 ? [{ count: sms, text: smsCause }] : [])] };
}

/** Cost of a way to import. What is unknown is not set. */
export interface Way {
  readonly requests: number;
  readonly seconds?: number | undefined;
  readonly cost?: number | undefined;
}

/** How many users each way to import affects, and how. */
export interface Comparison {
  /** Users who can sign in right away, after `import-users` and after the bulk import. */
  readonly single: number;
  readonly bulk: number;
  /** Users that `import-users` rejects, and users whose id it does not keep. */
  readonly onlyBulk: number;
  readonly newIds: number;
  /** Users whose old password might be checked at the first login. */
  readonly later: number;
  /** The service does not know CreateUser, so `import-users` creates users as the bulk import does, with new IDs. */
  readonly isOlder: boolean;
  /** Messages that the bulk import would send. */
  readonly emails: number;
  readonly sms: number;
}

export interface Forecast {
  /** The bulk import, with bodies within the target's limits. */
  readonly bulk: Way;
  /** `import-users`, including the calls for state and grants. */
  readonly single: Way;
  /** Size of all bulk requests, measured as protobuf. */
  readonly bytes: number;
  readonly ways?: Comparison | undefined;
}

/** Returns the ways to import and what each costs, as far as known. No rows if nothing is known. */
export function waysSection(forecast: Forecast | undefined): Section {
  return { title: 'Ways to import, best first', rows: waysToImport(forecast) };
}

function waysToImport(forecast: Forecast | undefined) {
  if (forecast?.ways === undefined || forecast.single.requests === 0) return [];
  const { ways, single, bulk } = forecast;
  const { newIds, onlyBulk, later, emails, sms } = ways;
  const some = (count: number, text: string) =>
    count === 0 ? [] : [`${formatCounted(count, 'user')} ${text}`];
  const atOnce = (count: number) => `${formatCount(count)} can sign in right away`;
  const sent = `${formatCounted(emails, 'email')} and ${formatCount(sms)} SMS`;
  const oneCall = {
    text: `idport import-users: ${formatWay(single)}`,
    remarks: [
      `${atOnce(ways.single)}, no email, ${newIds === 0 ? 'ids and TOTP' : 'TOTP'} kept`,
      ...some(
        newIds,
        'with a new id: theirs is a number of up to 14 digits (`import-users --id-prefix=app-` makes 7 into app-7), has a slash or is too long',
      ),
      ...some(onlyBulk, 'rejected (recovery codes, long hash, invalid TOTP or email): import these in bulk'),
    ],
  };
  const firstLogin = {
    text: 'idport import-users --jit, then idport jit: the same requests as import-users, plus a receiver until everyone has logged in',
    remarks: [
      `${atOnce(ways.single)}, up to ${formatCount(later)} more at their first login, if idport jit can check their old password`,
    ],
  };
  const inBulk = {
    text: `idport import (bulk): ${formatWay(bulk)}, ${formatBytes(forecast.bytes)} measured as protobuf`,
    remarks: [`${atOnce(ways.bulk)}, ${sent}, ids and TOTP kept`],
  };
  const messages = emails + sms;
  const bulkWay = { row: inBulk, canSignIn: ways.bulk, messages, requests: bulk.requests };
  if (ways.isOlder) {
    const text = `idport import-users: at least ${formatWay(single)}`;
    const remarks = [`${atOnce(ways.bulk)}, ${sent}, new ids, no TOTP`];
    return bestFirst([bulkWay, { ...bulkWay, row: { text, remarks }, requests: single.requests }]);
  }
  const singleWay = { row: oneCall, canSignIn: ways.single, messages: 0, requests: single.requests };
  const jitWay = { ...singleWay, row: firstLogin, canSignIn: ways.single + later };
  return bestFirst([singleWay, ...(later === 0 ? [] : [jitWay]), bulkWay]);
}

/** Sorts by the number of users who can sign in, then by messages sent, then by requests. */
const bestFirst = (ways: readonly { row: Row; canSignIn: number; messages: number; requests: number }[]) =>
  ways
    .toSorted((a, b) => b.canSignIn - a.canSignIn || a.messages - b.messages || a.requests - b.requests)
    .map(({ row }) => row);

function formatWay({ requests, seconds, cost }: Way) {
  const parts = [
    formatCounted(requests, 'request'),
    seconds !== undefined && `about ${formatSeconds(Math.max(1, seconds))}`,
    cost !== undefined && `at a price of ${formatCost(cost)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Returns a price with cents, or for less than ten cents, two significant digits. */
function formatCost(cost: number) {
  return cost === 0 || cost >= 0.1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)));
}
