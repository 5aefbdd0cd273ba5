/** The descriptions of the service's calls in, bodies that fit them out: every field in turn, sound or nearly so. */
import type { FieldPlan, MessagePlan } from '../../src/wire/message.ts';
import { canary } from './canary.ts';
import type { Draw } from '../support/draw.ts';
import { oddValues } from './odd-records.ts';

/** What is there at the server from the start. */
export const known = { org: '100', user: 'user-1', machine: 'machine-1', project: 'project-1' };

const ids = [...Object.values(known), '', 'unknown', '18446744073709551616', 'a/b', 'é', '\u0000'];
const texts = [
  '',
  'a',
  'Ada',
  'ada@example.org',
  '+41791234567',
  '30m',
  'en',
  'x'.repeat(201),
  '👩‍👩‍👧',
  '{"a":1}',
  'PT1S',
];
const hashes = [
  `$2b$10$${canary}ofHC6A8Z1SEhYbJjkC5OxepnEPqbqDnMvxKzQ2eIyMyiqz2mL0.`.slice(0, 60),
  `$pbkdf2-sha256$27500$${canary}AAAA$${canary.repeat(4)}`,
  '$2',
  'no hash',
];
/** A body for a message; about one field in thirty holds something else than it should. */
export function drawMessage(plan: MessagePlan, draw: Draw, depth = 0) {
  const body: Record<string, unknown> = {};
  const chosen = plan.oneofs.map(({ members }) => draw.pick(members));
  const share = depth > 4 ? 0.1 : 0.65;
  for (const field of plan.fields) {
    const needed = field.required === true || (field.min ?? 0) > 0;
    if (field.oneof >= 0 ? chosen[field.oneof] !== field.name : !needed && !draw.chance(share)) continue;
    const snake = field.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const name = draw.chance(0.9) ? field.name : snake;
    body[name] = draw.chance(0.03) ? JSON.parse(draw.pick(oddValues)) : drawField(field, draw, depth);
  }
  return body;
}

function drawField(field: FieldPlan, draw: Draw, depth: number) {
  if (field.list === undefined) return drawValue(field, draw, depth);
  return Array.from({ length: draw.below(3) }, () => drawValue(field, draw, depth));
}

function drawValue(field: FieldPlan, draw: Draw, depth: number) {
  switch (field.kind) {
    case 'message':
      return drawMessage(field.message!.plan, draw, depth + 1);
    case 'bool':
      return draw.chance(0.5);
    case 'enum':
      return draw.chance(0.8) ? draw.pick(field.names ?? ['']) : draw.below(12);
    case 'duration':
      return draw.pick(['10s', '1.5s', '0s', '-1s', '315576000001s', '10']);
    case 'timestamp':
      return draw.pick(['2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '2026-13-01T00:00:00Z']);
    case 'bytes':
      return draw.pick(['dg==', 'dg', '_-', '', 'not base64!']);
    case 'json':
      return draw.pick([{ a: [1, { b: null }] }, 'text', 1]);
    case 'string':
      return drawText(field, draw);
    default:
      return draw.pick([0, 1, 100, '7', -1, 4294967295, '9223372036854775807', '18446744073709551615']);
  }
}

function drawText({ name, min = 0, max = 20 }: FieldPlan, draw: Draw) {
  if (/id$/i.test(name)) return draw.pick(ids);
  if (/hash|value/i.test(name) && draw.chance(0.7)) return draw.pick(hashes);
  if (/email/i.test(name)) return draw.pick(['ada@example.org', 'b@example.org', 'no address']);
  if (/userName|loginName/i.test(name)) return `user-${draw.below(50)}`;
  if (/endpoint|url/i.test(name)) return draw.pick(['https://127.0.0.1:1/', 'http://', 'x', 'http://[::1]/']);
  const length = Math.min(max, min + draw.below(10));
  return draw.chance(0.6) ? 'abcdefghij'.repeat(30).slice(0, length) : draw.pick(texts);
}

/** The address of a route: ids in the place of the names in braces. */
export function drawPath(route: string, draw: Draw) {
  const [verb = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/\{\w+\}/g, () => encodeURIComponent(draw.pick(ids) || 'x'));
  const query =
    verb === 'GET' && draw.chance(0.3) ? draw.pick(['?a=1', '?query.limit=5', '?limit=x&limit=y', '?%']) : '';
  return { verb, path: path + query };
}
