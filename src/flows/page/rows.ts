/** Packs the rows of a page's list, users that need attention, for the page's script. */
import type { Input } from '../../lib/input.ts';
import { scriptJson } from '../../lib/html.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import { ofOne, signInKinds, signInText } from '../../records/sign-in.ts';
import type { PackedRow, RowNames } from '../../page/rows.ts';
import { listConverted, listKept, listCompared } from '../report/contents.ts';
import { type ListedUser, mildOutcomes } from '../report/report.ts';
import { blockingReasons } from './verdicts.ts';
import type { Part } from './parts.ts';
import { readItems, type Report, type ReportItem } from './read-report.ts';

/** Up to this number, a browser still scrolls, searches and opens without delay. */
export const maxRows = 100_000;

interface PartRows {
  readonly part: Part;
  readonly input: Input;
  /** Whether another of the parts read its rejected records again. */
  readonly isRepaired: boolean;
}

/**
 * Yields the rows as text of a JSON array, users in trouble first. Then `names()` explains the numbers in them. Memory holds the
 * names of what is shown, never a user.
 */
export function packRows(parts: readonly PartRows[]) {
  const inputs = createNames();
  const orgs = createNames();
  const codes = createNames();
  const outcomes = createNames();
  let total = 0;
  let shown = 0;

  const pack = (row: ListedUser, part: number): PackedRow => [
    part,
    outcomes.number(row.outcome),
    row.userName,
    row.email,
    row.id,
    orgs.number(row.org),
    inputs.number(row.input),
    row.index ?? -1,
    ...row.reasons.flatMap(({ code, detail, remedy }) => [codes.number(`${code}\n${remedy}`), detail]),
  ];

  return {
    async *text(): AsyncGenerator<string> {
      for (const level of ['trouble', 'mild'] as const) {
        for (const [at, { part, input, isRepaired }] of parts.entries()) {
          for await (const items of readItems(input, part.report)) {
            const rows = items
              .map((item) => toRow(item, part.report))
              .filter(({ outcome }) => !(isRepaired && outcome === 'rejected'));
            if (level === 'trouble') total += rows.length;
            const lines: string[] = [];
            for (const row of rows) {
              if (isInTrouble(row) !== (level === 'trouble') || shown === maxRows) continue;
              lines.push(`${shown === 0 ? '' : ','}${scriptJson(pack(row, at))}\n`);
              shown += 1;
            }
            if (lines.length > 0) yield lines.join('');
            if (level === 'mild' && shown === maxRows) return;
          }
        }
        if (shown === total || shown === maxRows) return;
      }
    },
    names: (): RowNames => ({
      total,
      parts: parts.map(({ part }) => part.verb),
      files: parts.map(({ part }) => part.file),
      outcomes: outcomes.list,
      orgs: orgs.list,
      inputs: inputs.list,
      reasons: codes.list.map((text) => {
        const [code = '', remedy = ''] = text.split('\n');
        return [code, remedy, titleOf(code)];
      }),
      barring: blockingReasons,
    }),
  };
}

const barring: ReadonlySet<string> = new Set(blockingReasons);

/** Reports whether the user cannot sign in, or unintentionally did not arrive. */
const isInTrouble = ({ outcome, reasons }: ListedUser) =>
  reasons.some(({ code }) => barring.has(code)) || !(mildOutcomes.has(outcome) || outcome === 'skipped');

/** Returns the meaning of a code in a few words. Text that is not a code is returned as it is. */
function titleOf(code: string) {
  const cause = reasons[code as ReasonCode]?.cause.split(/[.,:;]/, 1)[0];
  const kind = signInKinds.find((one) => code === `sign-in:${one}`);
  return cause ?? (kind === undefined ? code : `The user ${ofOne(signInText(kind))}`);
}

/** Numbers texts in the order in which they first come. */
function createNames() {
  const list: string[] = [];
  const numbers = new Map<string, number>();
  return {
    list,
    number(text: string) {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, list.length);
      return list.push(text) - 1;
    },
  };
}

/** Functions that convert the users of each kind of report. */
const listUser: { readonly [F in Report['format']]: (item: ReportItem<F>) => ListedUser } = {
  'idport-report': listConverted,
  'idport-verify-report': listCompared,
  'idport-undo-report': listKept,
  'idport-stopped-report': (user) => user,
};

/** A user without an organization gets the run's organization, if there is only one. */
function toRow(item: ReportItem, { format, run }: Report) {
  const user = (listUser[format] as (item: ReportItem) => ListedUser)(item);
  const [org = '', ...others] = run?.organizations ?? [];
  return user.org === '' && others.length === 0 ? { ...user, org } : user;
}
