/** The page on controlling the reference server: its tables are those of the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { faultSchema } from '../../src/server/limits/faults.ts';

const page = readFileSync(new URL('../../docs/server-control.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm')), ([, code = '']) => code);
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
const firstColumn = (text: string): string[] =>
  Array.from(text.matchAll(/^\| (`.*?`) \|/gm), ([, cell = '']) => cell).flatMap((cell) =>
    cell.split(', ').map((part) => part.replaceAll('`', '')),
  );

describe('the page on controlling the reference server', () => {
  it('lists every call of the control interface, and no other', () => {
    const server = createReferenceServer({ tellProfile: true });
    const served = server.app.routes
      .filter(({ path, method }) => path.startsWith('/_idport/') && method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(new Set(firstColumn(section('The control interface')))).toEqual(new Set(served));
  });

  it('lists every field of a fault, and shows one that is taken', () => {
    const shape = Object.keys(faultSchema.shape);
    const told = firstColumn(section('Faults'));
    expect(new Set([...told, 'body', 'headers'])).toEqual(new Set(shape));
    const [example = ''] = blocks('json');
    expect(faultSchema.safeParse(JSON.parse(example)).success).toBe(true);
  });
});
