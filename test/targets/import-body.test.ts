import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createImportBody, type Section, type Waiting } from '../../src/targets/import-body.ts';

type Lists = Record<'humanUsers' | 'machineUsers' | 'userMetadata', readonly (readonly object[])[]>;

function openWaiting(): Waiting {
  const chunks: Buffer[] = [];
  return {
    write: (_, chunk) => void chunks.push(Buffer.from(chunk)),
    has: () => chunks.length > 0,
    read: () => chunks,
    close: () => {},
  };
}

async function write(lists: Lists, multiline: boolean) {
  const written: Buffer[] = [];
  const sink = { write: (chunk: string | Uint8Array) => void written.push(Buffer.from(chunk)) };
  const body = createImportBody(sink, { orgId: 'org "1"', timeout: '30m0s', multiline }, openWaiting);
  const sections = Object.entries(lists) as [Section, Lists[keyof Lists]][];
  for (const [section, runs] of sections) {
    for (const run of runs) {
      const text = run.map((element) => `,${JSON.stringify(element)}`).join('');
      await body.write(section, section === 'humanUsers' ? Buffer.from(text) : text);
    }
  }
  await body.close();
  return Buffer.concat(written).toString();
}

function expected({ humanUsers, machineUsers, userMetadata }: Lists): object {
  const machines = machineUsers.flat();
  const metadata = userMetadata.flat();
  return {
    dataOrgs: {
      orgs: [
        {
          orgId: 'org "1"',
          humanUsers: humanUsers.flat(),
          ...(machines.length !== 0 && { machineUsers: machines }),
          ...(metadata.length !== 0 && { userMetadata: metadata }),
        },
      ],
    },
    timeout: '30m0s',
  };
}

const runs = fc.array(fc.array(fc.record({ name: fc.string({ unit: 'grapheme' }) }), { maxLength: 3 }), {
  maxLength: 4,
});
const anyLists = fc.record({ userMetadata: runs, machineUsers: runs, humanUsers: runs });

describe('the import body', () => {
  it('has its lists in order, however they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(anyLists, async (lists) => {
        expect(JSON.parse(await write(lists, false))).toEqual(expected(lists));
      }),
    );
  });

  it('is formatted with --multiline as by JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(anyLists, async (lists) => {
        expect(await write(lists, true)).toBe(`${JSON.stringify(expected(lists), null, 2)}\n`);
      }),
    );
  });
});
