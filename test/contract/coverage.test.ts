/** The coverage table against the code: every claim of it, and that nothing of the code is missing in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatCoveragePage } from '../../scripts/coverage-page.ts';
import { createReferenceServer } from '../../src/server/index.ts';
import { planOf } from '../../src/wire/plan.ts';
import type { MessagePlan } from '../../src/wire/plan.ts';
import { coverage } from './coverage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(new URL(path, `file://${root}`), 'utf8');
const all = <Entry>(sections: readonly { entries: readonly Entry[] }[]): Entry[] =>
  sections.flatMap(({ entries }) => entries);

/** `POST /v2/users/{user_id}` and `POST /v2/users/:userId` are the same call. */
const normal = (call: string): string => call.replace(/\{[^}]+\}|:\w+/g, '{}');

describe('calls', () => {
  const { app } = createReferenceServer({ control: false });
  const served = new Set(
    app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => normal(`${method} ${path}`)),
  );

  it.each(all(coverage.calls))('$call: $answer', ({ call, answer }) => {
    expect(served.has(normal(call))).toBe(answer !== 'no');
  });

  it('are all in the table', () => {
    const told = new Set(all(coverage.calls).map(({ call }) => normal(call)));
    // By the Connect protocol the same methods answer at their full names.
    expect([...served].filter((call) => !told.has(call) && !call.includes(' /zitadel.'))).toEqual([]);
  });
});

describe('fields', () => {
  it.each(all(coverage.fields).map((entry) => ({ ...entry, name: `${entry.message}.${entry.field}` })))(
    '$name: $answer',
    ({ schema, field, answer }) => {
      expect(hasField(planOf(schema), field.split('.'))).toBe(answer !== 'no');
    },
  );
});

function hasField(plan: MessagePlan, path: readonly string[]): boolean {
  const field = plan.byName.get(path[0] ?? '');
  if (field === undefined || path.length === 1) return field !== undefined;
  return field.message !== undefined && hasField(field.message, path.slice(1));
}

describe('refusals', () => {
  const code = ['src/server', 'src/profiles']
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${String(name)}`),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('/error-ids.ts'))
    .map(read)
    .join('\n');

  it.each(all(coverage.ids))('$id: $answer', ({ id, answer }) => {
    expect(code.includes(id)).toBe(answer !== 'no');
  });

  it('are all in the table', () => {
    const told = new Set(all(coverage.ids).map(({ id }) => id));
    const known = /'((?:[A-Z]{4,9}|V\d|Org)-[A-Za-z0-9]{5,12})'/g;
    const used = new Set(Array.from(code.matchAll(known), (match) => match[1]!));
    expect([...used].filter((id) => !told.has(id) && /[a-z0-9]/.test(id.split('-')[1]!))).toEqual([]);
  });
});

describe('rules', () => {
  it.each(all(coverage.rules).filter(({ proof }) => proof !== undefined))('$rule', ({ proof, answer }) => {
    const [file, title] = proof!;
    expect(answer).not.toBe('no');
    expect(read(file)).toContain(title);
  });

  it('that are not kept have no proof', () => {
    const missing = all(coverage.rules).filter(({ proof }) => proof === undefined);
    expect(missing.every(({ answer }) => answer === 'no')).toBe(true);
  });
});

describe('the page', () => {
  it('is the one that the table makes: npm run docs', () => {
    expect(read('docs/server-coverage.md')).toBe(formatCoveragePage());
  });
});
