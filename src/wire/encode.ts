/** A message in, the plain object of its JSON out: defaults are left out at every depth, 64-bit numbers are strings. */
import type { z } from 'zod';
import { planOf } from './plan.ts';
import type { FieldPlan, MessagePlan } from './plan.ts';

/** `JSON.stringify` of the result is the body; unset messages, empty lists and zero values are not in it. */
export function encode<S extends z.ZodType>(schema: S, value: z.input<S>): Record<string, unknown> {
  return encodeMessage(planOf(schema), value as Record<string, unknown>);
}

function encodeMessage(plan: MessagePlan, value: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const content = value[field.name];
    if (content === undefined || isDefault(field, content)) continue;
    out[field.name] = field.repeated
      ? (content as unknown[]).map((item) => encodeValue(field, item))
      : encodeValue(field, content);
  }
  if (plan.rule.open) {
    for (const name of Object.keys(value)) if (!plan.byName.has(name)) out[name] = value[name];
  }
  return out;
}

function isDefault(field: FieldPlan, content: unknown): boolean {
  if (field.repeated) return (content as unknown[]).length === 0;
  if (field.message !== undefined) return false;
  return content === field.zero;
}

function encodeValue(field: FieldPlan, content: unknown): unknown {
  if (field.message !== undefined) return encodeMessage(field.message, content as Record<string, unknown>);
  if (field.kind === 'int64' || field.kind === 'uint64') return String(content);
  return content;
}
