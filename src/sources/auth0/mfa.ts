/** Joins the multi-factor export of Auth0's support to the users. */
import type { Input } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import type { Notice, ScanAids } from '../source.ts';
import { RowNumbers } from '../table/row-numbers.ts';
import { RowStore } from '../table/row-store.ts';
import { readNumbered } from './files.ts';

export interface Factor {
  readonly kind: 'otp' | 'recovery-code' | 'other';
  /** The base32 secret, or the hash of the recovery code. Secret. For other kinds, the name of the factor. */
  readonly value: string;
}

export type FactorJoin = Awaited<ReturnType<typeof readFactorLines>>;

const isJoined = 1;
const isUnreadable = 2;

export async function readFactorLines(inputs: readonly Input[], openSpillFile: ScanAids['openSpillFile']) {
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
    /** Returns the factors of a user in the order of their lines. */
    of: (userId: string) =>
      rows.rowsOf(userId).map((row) => {
        marks[row] = isJoined;
        return JSON.parse(rows.text(row)) as Factor;
      }),
    /** Returns the notices. Complete only after the last user. */
    notices: () => describeLines(marks, numbers),
    close: () => rows.close(),
  };
}

function describeLines(marks: Uint8Array, numbers: RowNumbers): Notice[] {
  const noun = 'multi-factor line';
  const joined = marks.reduce((sum, mark) => sum + Number(mark === isJoined), 0);
  const text = `${formatCounted(marks.length, noun)} read, ${formatCount(joined)} joined`;
  const warn = (code: Notice['code'], mark: number, what: string) =>
    numbers.warn(code, noun, what, (row) => marks[row] === mark);
  return [
    { level: 'info', code: 'mfa:join', text },
    ...warn('mfa:unmatched-line', 0, 'without a user among those given'),
    ...warn('mfa:unreadable-line', isUnreadable, 'cannot be read'),
  ];
}

/** Returns undefined if the value is not a line of this export. */
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
