/** The sections of a page: pure functions of what the reports say. */
import { type Html, html, type HtmlValue } from '../../lib/html.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import { bar, stackedBar } from './charts.ts';
import type { Cutover } from './join.ts';
import { addsUp, type Part } from './parts.ts';
import type { Report } from './read-report.ts';

type Summary = Of<'idport-report'>['summary'];
type Of<F extends Report['format']> = Extract<Report, { format: F }>;

export function reportOf<F extends Report['format']>(part: Part | undefined, format: F): Of<F> | undefined {
  return part?.report.format === format ? (part.report as Of<F>) : undefined;
}

/** The numbers of the conversion: of migrate, which knows the source; else of import-users or check. */
export function countsOf({
  last,
}: Cutover): { readonly part: Part; readonly report: Of<'idport-report'> } | undefined {
  for (const step of ['migrate', 'import', 'check'] as const) {
    const part = last.get(step);
    const report = reportOf(part, 'idport-report');
    if (part !== undefined && report !== undefined) return { part, report };
  }
  return undefined;
}

/** Of the import, which knows what arrived; else of what was forecast. */
export function signInOf({
  last,
}: Pick<Cutover, 'last'>): { readonly counts: Summary['signIn']; readonly done: boolean } | undefined {
  for (const step of ['import', 'check', 'migrate'] as const) {
    const part = last.get(step);
    const report = reportOf(part, 'idport-report') ?? reportOf(part, 'idport-import-report');
    if (report !== undefined) return { counts: report.summary.signIn, done: step === 'import' };
  }
  return undefined;
}

/** What the users have who were written, and what they are sent. */
type Written = Pick<Summary, 'emails' | 'sms' | 'hashes' | 'refusals' | 'otp' | 'notMigrated'>;

/** Of the conversion; else of a bulk import, which knows only the body. */
function writtenOf(cutover: Cutover): Written | undefined {
  return countsOf(cutover)?.report.summary ?? importedOf(cutover);
}

function importedOf({ last }: Cutover): Written | undefined {
  const summary = reportOf(last.get('import'), 'idport-import-report')?.summary;
  if (summary === undefined) return undefined;
  const { emails, sms, passwords, otp } = summary;
  const hashes = passwords.map(({ algorithm, count }) => ({ algorithm, before: count, after: count }));
  return { emails, sms, hashes, otp, refusals: [], notMigrated: [] };
}

export function section(title: string, ...content: readonly HtmlValue[]): Html {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

export const number = (count: number): Html => html`<td class="number">${formatCount(count)}</td>`;
export const head = (...names: readonly string[]): Html =>
  html`<thead>
    <tr>
      ${names.map((name, at) => html`<th scope="col" class="${at === 0 ? '' : 'number'}">${name}</th>`)}
    </tr>
  </thead>`;
export const wide = (table: Html): Html => html`<div class="wide" tabindex="0">${table}</div>`;

export function sumSection({ parts, last }: Cutover): Html {
  const summed = parts.filter((part) => part.sum !== undefined && last.get(part.step) === part);
  const rows = summed.map(({ verb, sum }) => {
    const { read, written, withNotes, rejected, skipped } = sum!;
    const chart = stackedBar(`Users of ${verb}`, [
      { name: 'written', count: written, pattern: 'solid' },
      { name: 'rejected', count: rejected, pattern: 'hatched' },
      { name: 'skipped', count: skipped, pattern: 'dotted' },
    ]);
    return html`<tr>
        <th scope="row">${verb}</th>
        ${number(read)}${number(written)}${number(withNotes)}${number(rejected)}${number(skipped)}
        <td>${addsUp(sum!) ? 'adds up' : html`<b class="bad">does not add up</b>`}</td>
      </tr>
      <tr class="chart-row">
        <td colspan="7">${chart}</td>
      </tr>`;
  });
  const names = ['', 'read', 'written', 'of these with notes', 'rejected', 'skipped', ''];
  return section(
    'The sum: read = written + rejected + skipped',
    wide(
      html`<table class="sum">
        ${head(...names)}
        <tbody>
          ${rows}
        </tbody>
      </table>`,
    ),
    html`<p class="legend">
      <svg class="key"><rect class="solid" width="14" height="14" /></svg> written
      <svg class="key"><rect class="hatched" width="14" height="14" /></svg> rejected
      <svg class="key"><rect class="dotted" width="14" height="14" /></svg> skipped. What check counts as
      written would be written, what existed before an import counts as skipped.
    </p>`,
  );
}

export function arrivedSection({ last }: Cutover): Html {
  const verified = reportOf(last.get('verify'), 'idport-verify-report');
  if (verified === undefined) return section('What arrived', html`<p>verify: not run.</p>`);
  const { summary, logins } = verified;
  const rows = [
    ['same as in the source', summary.same],
    ['the same, but they cannot sign in', summary.blocked],
    ['missing at the target', summary.missing],
    ['different', summary.differs],
    ['only at the target', summary.extra],
    ['unknown', summary.unknown],
  ] as const;
  const most = Math.max(...rows.map(([, count]) => count));
  const fields = [
    ...Object.entries(summary.fields),
    ...Object.entries(summary.unknownFields).map(([name, count]) => [`${name} (unknown)`, count] as const),
  ];
  const succeeded = logins.filter(({ succeeded: done }) => done).length;
  return section(
    'What arrived, and what was proven',
    html`<table class="bars">
      <tbody>
        ${rows.map(
          ([name, count], at) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${number(count)}
              <td>${bar(count, most, at === 0 ? 'solid' : 'hatched')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
    fields.length === 0
      ? undefined
      : html`<p>
          Fields that differ: ${fields.map(([name, count]) => `${name} ${formatCount(count)}`).join(', ')}.
        </p>`,
    logins.length === 0
      ? html`<p>No test login was tried (<code>verify --login-sample</code>).</p>`
      : html`<p>
            <b>${formatCount(succeeded)} of ${formatCounted(logins.length, 'test user')}</b> signed in at the
            target with the password of the sample.
          </p>
          <ul>
            ${logins.slice(0, 20).map((login) => html`<li>${login.userName}: ${login.succeeded ? 'signs in' : html`<b class="bad">does not sign in</b>`}${login.detail === '' ? undefined : `, ${login.detail}`}</li>`)}
          </ul>`,
  );
}

export function messagesSection(cutover: Cutover): Html {
  const sent = reportOf(cutover.last.get('import'), 'idport-report')?.summary ?? importedOf(cutover);
  const checked = reportOf(cutover.last.get('check'), 'idport-report')?.summary;
  const counted = sent ?? checked ?? writtenOf(cutover);
  if (counted === undefined) return section('Emails and SMS', notCounted);
  const { emails, sms } = counted;
  const sum = emails.reduce((all, { count }) => all + count, 0);
  const verb = sent === undefined ? 'The import would send' : 'The import has sent';
  return section(
    'Emails and SMS',
    html`<p>${verb} <b>${formatCounted(sum, 'email')}</b> and <b>${formatCount(sms)} SMS</b>.</p>`,
    emails.length === 0
      ? undefined
      : html`<ul>
          ${emails.map(({ cause, count }) => html`<li>${formatCount(count)}: ${cause}</li>`)}
        </ul>`,
  );
}

const notCounted: Html = html`<p>Not counted: there is no report of migrate, check or import-users.</p>`;

export function hashSection(cutover: Cutover): Html {
  const written = writtenOf(cutover);
  if (written === undefined) return section('Password hashes', notCounted);
  const { hashes, refusals } = written;
  const isConverted = countsOf(cutover) !== undefined;
  const most = Math.max(0, ...hashes.flatMap(({ before, after }) => [before, after]));
  const name = (algorithm: string): string => (algorithm === 'none' ? 'without a hash' : algorithm);
  return section(
    isConverted ? 'Password hashes, before and after' : 'Password hashes',
    wide(
      html`<table class="bars pairs">
        ${isConverted ? head('algorithm', 'in the source', '', 'as written', '') : head('algorithm', 'users', '')}
        <tbody>
          ${hashes.map(
            ({ algorithm, before, after }) =>
              html`<tr>
                <th scope="row">${name(algorithm)}</th>
                ${
                  isConverted
                    ? html`${number(before)}
                        <td>${bar(before, most, 'hatched')}</td>`
                    : undefined
                }
                ${number(after)}
                <td>${bar(after, most)}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    ),
    refusals.length === 0
      ? undefined
      : html`<ul>
          ${refusals.map(({ algorithm, problem, remedy, count }) => html`<li>${formatCounted(count, 'user')}, ${algorithm}: ${problem}. ${remedy}</li>`)}
        </ul>`,
  );
}

const factorKinds: ReadonlySet<string> = new Set([
  'passkeys and security keys',
  'recovery codes',
  'other second factors',
  'one-time passwords',
]);

export function factorSection(cutover: Cutover): Html {
  const written = writtenOf(cutover);
  if (written === undefined) return section('Second factors', notCounted);
  const { otp, notMigrated } = written;
  const lost = notMigrated.filter(({ kind }) => factorKinds.has(kind));
  const left = leftOut(cutover).find(({ code }) => code === 'single:otp')?.count ?? 0;
  const moved =
    left === 0
      ? html`<b>${formatCounted(otp, 'user')}</b> with TOTP in the body.`
      : html`<b>${formatCounted(left, 'user')}</b> with TOTP enrol again: an import with --api=v1 takes no
          one-time password.`;
  return section(
    'Second factors',
    html`<p>${moved}</p>`,
    lost.length === 0
      ? html`<p>No other second factor was found.</p>`
      : html`<ul>
          ${lost.map(({ kind, count }) => html`<li>${kind}: ${formatCounted(count, 'user')}, not migrated</li>`)}
        </ul>`,
  );
}

/** What the one-by-one import leaves out of users that it creates. */
function leftOut({ last }: Cutover) {
  const notes = reportOf(last.get('import'), 'idport-report')?.summary.notes ?? [];
  return notes.filter(({ code }) => code.startsWith('single:'));
}

export function lossSection(cutover: Cutover): Html {
  const counts = countsOf(cutover);
  if (counts === undefined) return section('What does not move', notCounted);
  const { aliases } = counts.report.summary;
  const notMigrated = [
    ...counts.report.summary.notMigrated,
    ...leftOut(cutover).map(({ cause, count }) => ({ kind: cause, count })),
  ];
  if (notMigrated.length === 0) return section('What does not move', html`<p>Nothing was left behind.</p>`);
  const most = Math.max(...notMigrated.map(({ count }) => count));
  return section(
    'What does not move, and for how many',
    html`<table class="bars">
      ${head('what', 'users', '')}
      <tbody>
        ${notMigrated.map(
          ({ kind, count }) =>
            html`<tr>
              <th scope="row">${kind}</th>
              ${number(count)}
              <td>${bar(count, most, 'hatched')}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
    aliases.length === 0
      ? undefined
      : html`<p>
          Identity providers without a counterpart:
          ${aliases.map(({ alias, count }) => `${alias} (${formatCount(count)})`).join(', ')}.
        </p>`,
  );
}

export function undoSection({ last }: Cutover): Html | undefined {
  const undone = reportOf(last.get('undo'), 'idport-undo-report');
  if (undone === undefined) return undefined;
  const { created, deleted, gone, foreign, changed, refused } = undone.summary;
  return section(
    'Rollback',
    undone.dryRun
      ? html`<p>A dry run: nothing was deleted. The import had created ${formatCounted(created, 'user')}.</p>`
      : html`<p>
          <b>${formatCount(deleted)} of ${formatCounted(created, 'user')}</b> deleted; ${formatCount(gone)}
          already deleted, ${formatCount(changed)} changed since and kept, ${formatCount(foreign)} of another
          user, ${formatCount(refused)} refused by the service.
        </p>`,
  );
}
