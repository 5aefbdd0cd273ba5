/** A rejects file is read back by programs: every line is the record as it was, and converting it gives the same file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { encodeRejected, rejectedKey } from '../../../src/records/rejects.ts';
import { createTestFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/program.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

const text = fc.string({ unit: 'binary', maxLength: 12 });
const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
const record = fc.dictionary(text, value, { maxKeys: 6 });

/** Without the one key that is added, in the order of the line. */
function recordOf(line: string): string {
  const { [rejectedKey]: _, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(rest);
}

it('each record comes back as it was, with its keys in their order', () => {
  const reason = {
    code: 'user-skipped:no-email',
    detail: 'd',
    origin: { input: 'i', index: 1, id: '' },
  } as const;
  fc.assert(
    fc.property(record, text, (raw, detail) => {
      const line = encodeRejected({ ...reason, detail }, raw);
      expect(line).not.toMatch(/[\n\r]/);
      expect(recordOf(line)).toBe(JSON.stringify(raw));
      // Once more, as after a second conversion.
      expect(encodeRejected({ ...reason, detail }, JSON.parse(line))).toBe(line);
    }),
  );
});

it('a conversion of the file rejects the same records, byte for byte', async () => {
  const rejected = async (input: string, output: string): Promise<string[]> => {
    const argv = ['migrate', 'keycloak', '--org', '1', '--realm', input, '--output', 'body.json'];
    const { problem } = await runProgram([...argv, '--rejects', output], { cwd });
    expect(problem).toBeUndefined();
    return readFileSync(join(cwd, output), 'utf8').trimEnd().split('\n').map(recordOf);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 8 }), async (records) => {
      const users = records.map((one, at) => ({ ...one, id: `id-${at}`, username: `user-${at}`, email: at }));
      writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
      const first = await rejected('realm.json', 'first.ndjson');
      expect(first).toEqual(users.map((one) => JSON.stringify(one)));
      expect(await rejected('first.ndjson', 'second.ndjson')).toEqual(first);
    }),
    { numRuns: 15 },
  );
});
