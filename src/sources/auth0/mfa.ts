/** Joins the multi-factor export that Auth0's support sends to the users. */
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import type { Notice, ScanAids } from '../source.ts';
import { RowNumbers } from '../table/row-numbers.ts';
import { RowStore } from '../table/row-store.ts';
import { readNumbered } from './files.ts';

/** One factor of a user. */
export interface Factor {
  readonly kind: 'otp' | 'recovery-code' | 'other';
  /** The base32 secret or the hash of the recovery code, secret; for other kinds the name of the factor. */
  readonly value: string;
}

export interface FactorJoin {
  /** In the order of the lines. */
  of(userId: string): readonly Factor[];
  /** After the last user. */
  notices(): Notice[];
  close(): void;
}

const isJoined = 1;
const isUnreadable = 2;

export async function readFactorLines(
  inputs: readonly Input[],
  openSpillFile: ScanAids['openSpillFile'],
): Promise<FactorJoin> {
  const rows = new RowStore(openSpillFile);
  const numbers = new RowNumbers();
  const unreadable: number[] = [];
  await readNumbered(inputs, 'mfa', (record, input, line) => {
    const { userId, factor } = readFactor(record) ?? { userId: '' };
    if (userId === '') unreadable.push(numbers.length);
    rows.add(JSON.stringify(factor ?? ''), userId);
    numbers.push(input, line);
  });
  const marks = new Uint8Array(numbers.length);
  for (const row of unreadable) marks[row] = isUnreadable;
  return {
    of: (userId) =>
      rows.rowsOf(userId).map((row) => {
        marks[row] = isJoined;
        return JSON.parse(rows.text(row)) as Factor;
      }),
    notices: () => describeLines(marks, numbers),
    close: () => rows.close(),
  };
}

function describeLines(marks: Uint8Array, numbers: RowNumbers): Notice[] {
  const count = (mark: number): number => marks.reduce((sum, one) => sum + Number(one === mark), 0);
  const read = formatCounted(marks.length, 'multi-factor line');
  const kinds = [
    { mark: 0, code: 'mfa:unmatched-line', text: 'match no user in the users given' },
    { mark: isUnreadable, code: 'mfa:unreadable-line', text: 'cannot be read' },
  ];
  return [
    { level: 'info', code: 'mfa:join', text: `${read} read, ${formatCount(count(isJoined))} joined` },
    ...kinds
      .filter(({ mark }) => count(mark) > 0)
      .map(({ mark, code, text }): Notice => ({
        level: 'warning',
        code,
        text: `${formatCounted(count(mark), 'multi-factor line')} ${text}`,
        places: numbers.placesOf((row) => marks[row] === mark),
      })),
  ];
}

/** Undefined for what is no line of this export. */
function readFactor(value: unknown): { readonly userId: string; readonly factor: Factor } | undefined {
  if (!isObject(value)) return undefined;
  const { user_id: userId, type } = value;
  if (typeof userId !== 'string' || userId === '' || typeof type !== 'string' || type === '')
    return undefined;
  const field = fields.get(type.toLowerCase());
  if (field === undefined) return { userId, factor: { kind: 'other', value: type } };
  const secret = value[field.name];
  return { userId, factor: { kind: field.kind, value: typeof secret === 'string' ? secret : '' } };
}

const fields = new Map<string, { kind: 'otp' | 'recovery-code'; name: string }>([
  ['otp', { kind: 'otp', name: 'otp_secret' }],
  ['totp', { kind: 'otp', name: 'otp_secret' }],
  ['recovery-code', { kind: 'recovery-code', name: 'recovery_code' }],
]);
