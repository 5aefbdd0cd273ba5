import { describe, expect, test } from 'vitest';
import { isPlain, isRefused } from '../../../src/records/hash-forms/form.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { reasons } from '../../../src/records/reasons.ts';
import { verifiedForms } from '../../support/samples.ts';
import { decodeRow, nameOfRow } from '../../support/verified-parts.ts';

const rows = [...verifiedForms('hosted'), ...verifiedForms('selfhosted')];
const converted = rows.filter(({ refuse }) => !refuse).map((row) => [nameOfRow(row), row] as const);
const refused = rows.filter(({ refuse }) => refuse).map((row) => [nameOfRow(row), row] as const);

describe('the verified rows', () => {
  test.each(converted)('%s is converted', (_name, row) => {
    // In the one encoding that is compared.
    const known = recognise(row.mcf ?? '');
    expect(known).toHaveProperty('mcf');
    expect(decodeRow(row)).toMatchObject({ mcf: 'mcf' in known && known.mcf });
  });

  test.each(refused)('%s is refused with a reason, or is a password', (_name, row) => {
    const decoded = decodeRow(row);
    const code = isRefused(decoded) ? decoded.code : undefined;
    const plain = isPlain(decoded) ? decoded.plain : undefined;
    expect(plain ?? row.password).toBe(row.password);
    expect(plain !== undefined || (code !== undefined && code in reasons)).toBe(true);
  });
});
