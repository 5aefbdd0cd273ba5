/** The rows of a page's list: users that need attention, packed for the page's script. */
import type { Input } from '../../lib/input.ts';
import { scriptJson } from '../../lib/html.ts';
import type { PackedRow, RowNames } from '../../page/rows.ts';
import { keptOutcomes } from '../report/undo-report.ts';
import { verifyOutcomes } from '../report/verify-report.ts';
import { explainSignIn, signInKinds } from '../../records/sign-in.ts';
import type { Part } from './parts.ts';
import { readItems, type Report, type ReportItem } from './read-report.ts';

/** A browser still scrolls, searches and opens that many without delay. */
export const mostRows = 100_000;

interface Row {
  readonly outcome: string;
  readonly userName: string;
  readonly email: string;
  readonly id: string;
  readonly org: string;
  readonly input: string;
  /** Undefined for a user who is only at the target. */
  readonly index: number | undefined;
  readonly reasons: readonly { readonly code: string; readonly detail: string; readonly remedy: string }[];
}

/** What may wait: these users arrived. */
const mild: ReadonlySet<string> = new Set(['written', 'noted', 'existed', 'extra']);

/**
 * Yields the rows as text of a JSON array, users in trouble first; then `names()` says what its numbers stand for.
 * Memory holds the names of what is shown, never a user.
 */
export function packRows(parts: readonly { readonly part: Part; readonly input: Input }[]) {
  const inputs = new Names();
  const orgs = new Names();
  const codes = new Names();
  const outcomes = new Names();
  let total = 0;
  let shown = 0;

  const pack = (row: Row, part: number): PackedRow => [
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
        for (const [at, { part, input }] of parts.entries()) {
          for await (const items of readItems(input, part.report)) {
            if (level === 'trouble') total += items.length;
            const lines: string[] = [];
            for (const item of items) {
              if (mild.has(item.outcome) !== (level === 'mild') || shown === mostRows) continue;
              lines.push(`${shown === 0 ? '' : ','}${scriptJson(pack(toRow(item, part.report), at))}\n`);
              shown += 1;
            }
            if (lines.length > 0) yield lines.join('');
            if (level === 'mild' && shown === mostRows) return;
          }
        }
        if (shown === total || shown === mostRows) return;
      }
    },
    names: (): RowNames => ({
      total,
      parts: parts.map(({ part }) => part.verb),
      files: parts.map(({ part }) => part.file),
      outcomes: outcomes.list,
      orgs: orgs.list,
      inputs: inputs.list,
      reasons: codes.list.map((text) => text.split('\n') as [string, string]),
    }),
  };
}

/** Numbers texts in the order in which they come. */
class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

const remedies: ReadonlyMap<string, string> = new Map(
  [...verifyOutcomes, ...keptOutcomes].map(({ outcome, remedy }) => [outcome, remedy.replaceAll('`', '')]),
);

function signInReason(kind: string | undefined): Row['reasons'] {
  return signInKinds
    .filter((known) => known === kind)
    .map((known) => ({
      code: `sign-in:${known}`,
      detail: '',
      remedy: explainSignIn(known).replaceAll('`', ''),
    }));
}

function toRow(item: ReportItem, { format, run }: Report): Row {
  const org = run?.organizations?.length === 1 ? (run.organizations[0] ?? '') : '';
  switch (format) {
    case 'idport-report': {
      const {
        input,
        index,
        id,
        userName,
        email,
        orgId = org,
        outcome,
        signIn,
        reasons,
      } = item as ReportItem<'idport-report'>;
      const told = [...signInReason(signIn), ...reasons].map(({ code, detail = '', remedy }) => ({
        code,
        detail,
        remedy,
      }));
      return { outcome, userName, email, id, org: orgId, input, index, reasons: told };
    }
    case 'idport-import-report': {
      const {
        list,
        index,
        orgId,
        id,
        userName,
        email = '',
        outcome,
        code,
        detail = '',
        remedy = '',
        signIn,
      } = item as ReportItem<'idport-import-report'>;
      const told = outcome === 'written' ? [] : [{ code: code ?? outcome, detail, remedy }];
      const reasons = [...signInReason(signIn), ...told];
      return { outcome, userName, email, id, org: orgId, input: list, index, reasons };
    }
    case 'idport-verify-report': {
      const { outcome, place, targetId, userName, email, fields, unknown, detail } =
        item as ReportItem<'idport-verify-report'>;
      const words = [...fields, ...unknown.map((field) => `${field} (unknown)`), detail];
      const reason = { code: outcome, detail: words.filter(Boolean).join(', ') };
      const { input = '', index, id = targetId } = place ?? {};
      const reasons = [{ ...reason, remedy: remedies.get(outcome) ?? '' }];
      return { outcome, userName, email, id, org, input, index, reasons };
    }
    case 'idport-undo-report': {
      const { outcome, id, targetId, orgId, userName, email, detail } =
        item as ReportItem<'idport-undo-report'>;
      const reasons = [{ code: outcome, detail, remedy: remedies.get(outcome) ?? '' }];
      return {
        outcome,
        userName,
        email,
        id: id || targetId,
        org: orgId,
        input: '',
        index: undefined,
        reasons,
      };
    }
    case 'idport-stopped-report':
      throw new Error('a run that ended early reports no user');
  }
}
