import { describe, expect, test } from 'vitest';
import { isPlain, isRefused } from '../../../src/records/hash-forms/form.ts';
import { recognise } from '../../../src/records/mcf/recognise.ts';
import { reasons } from '../../../src/records/reasons.ts';
import { decodedForms } from '../../support/samples.ts';

const rows = decodedForms();

describe('the verified rows', () => {
  test.each(rows.filter(({ refuse }) => !refuse))('$title is converted', ({ mcf, decoded }) => {
    // In the one encoding that is compared.
    const known = recognise(mcf ?? '');
    expect(known).toHaveProperty('mcf');
    expect(decoded).toMatchObject({ mcf: 'mcf' in known && known.mcf });
  });

  test.each(rows.filter(({ refuse }) => refuse))(
    '$title is refused with a reason, or is a password',
    ({ password, decoded }) => {
      const code = isRefused(decoded) ? decoded.code : undefined;
      const plain = isPlain(decoded) ? decoded.plain : undefined;
      expect(plain ?? password).toBe(password);
      expect(plain !== undefined || (code !== undefined && code in reasons)).toBe(true);
    },
  );
});
