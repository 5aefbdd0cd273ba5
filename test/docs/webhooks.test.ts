import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readActionsFile } from '../../src/flows/actions/read-actions-file.ts';
import { webhookProblems } from '../../src/webhooks/answer.ts';
import { verifySignature } from '../../src/webhooks/index.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('webhook-receiver.md');
const blocks = (language: string): string[] =>
  Array.from(
    read('webhooks.md').matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm')),
    ([, code = '']) => code,
  );

describe('the pages on webhooks', () => {
  it('explains every reason for which a call is refused, and no other', () => {
    const table = page.slice(page.indexOf('| Reason |'), page.indexOf('All others get a 500'));
    const explained = Array.from(table.matchAll(/^\| `([\w-]+)` \|/gm), ([, reason]) => reason);
    expect(new Set(explained)).toEqual(new Set(webhookProblems));
    expect(explained).toHaveLength(webhookProblems.length);
  });

  it('shows an actions file that can be applied', async () => {
    const [yaml = ''] = blocks('yaml');
    const file = await readActionsFile('actions.yaml', yaml);
    expect([file.targets.length, file.executions.length]).toEqual([1, 2]);
  });

  it('shows a signature that is right', () => {
    const header = /^ZITADEL-Signature: (.*)$/m.exec(page)?.[1];
    const [, key = '', body = ''] = /for the key `(\w+)` and the\s+body `([^`]+)`/.exec(page) ?? [];
    expect(verifySignature({ body, header, key, now: 1_700_000_000_000 })).toMatchObject({ ok: true });
  });
});
