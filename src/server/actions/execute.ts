/**
 * A triggering call in, the calls to its targets made one after the other; the message to go on
 * with (or a refusal) out.
 */
import type { z } from 'zod';
import { redactText } from '../../lib/redact.ts';
import { decode, DecodeError } from '../../wire/decode.ts';
import { encode } from '../../wire/encode.ts';
import { planOf } from '../../wire/plan.ts';
import type { MessagePlan } from '../../wire/plan.ts';
import { signBody } from '../../wire/signature.ts';
import type { Clock } from '../../lib/clock.ts';
import { unknown } from '../errors.ts';
import type { TargetAnswer, TargetCaller } from './call-target.ts';
import { judgeAnswer } from './judge-answer.ts';
import type { Ledger } from '../ledger.ts';
import type { TargetRow } from './registry.ts';
import type { Registry } from './registry.ts';
import type { Sealer } from './seal.ts';

/** A call as the ledger has it: its body without secrets, cut to a readable length. */
export interface SentCall {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly executionId: string;
  readonly targetId: string;
  readonly endpoint: string;
  /** The method or event that set it off. */
  readonly trigger: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly problem: string | undefined;
  readonly ms: number;
  readonly signature: string;
  readonly body: string;
}

export interface Sender {
  readonly clock: Clock;
  readonly caller: TargetCaller;
  readonly registry: Registry;
  readonly sealer: Sealer;
  readonly ledger: Ledger<SentCall>;
  /** Runs work that nobody waits for; the server does when it closes. */
  readonly background: (work: () => Promise<void>) => void;
}

export interface Errand {
  readonly executionId: string;
  /** The method or event, for the ledger. */
  readonly trigger: string;
  readonly targets: readonly TargetRow[];
  /** The body for the next target; asked again after a target has changed the message. */
  readonly payload: () => string;
  /** Takes a receiver's answer over as the message; throws when it is not one. Absent where nothing can be changed. */
  readonly replace?: (body: string) => void;
}

/** Bodies in the ledger are cut here; they are for people to read. */
const shownBody = 4000;

/**
 * In order, each waited for except async ones. A failure counts only where the target interrupts; then the rest is
 * not called and the refusal is thrown. No call is repeated.
 */
export async function runErrand(sender: Sender, errand: Errand): Promise<void> {
  for (const target of errand.targets) {
    const payload = errand.payload();
    if (target.kind === 'async') {
      sender.background(async () => {
        await send(sender, errand, target, payload);
      });
      continue;
    }
    const judged = judgeAnswer(await send(sender, errand, target, payload));
    if (!judged.ok) {
      if (target.interruptOnError) throw judged.error;
      continue;
    }
    if (target.kind !== 'call' || judged.body === '' || errand.replace === undefined) continue;
    try {
      errand.replace(judged.body);
    } catch (error) {
      if (target.interruptOnError) throw unknown((error as Error).message);
    }
  }
}

async function send(
  sender: Sender,
  errand: Errand,
  target: TargetRow,
  payload: string,
): Promise<TargetAnswer> {
  const { clock, registry, sealer, ledger } = sender;
  const now = clock.now();
  const started = clock.monotonic();
  let body = payload;
  let signature = '';
  let answer: TargetAnswer;
  try {
    body = await sealer.seal(payload, target, registry.targetKeys.by('target', target.id), now);
    signature = signBody(body, target.signingKey, now / 1000);
    answer = await sender.caller.call({
      endpoint: target.endpoint,
      body,
      signature,
      timeout: target.timeout,
    });
  } catch (error) {
    answer = { status: undefined, problem: (error as Error).message };
  }
  ledger.add({
    id: ledger.total + 1,
    at: now,
    executionId: errand.executionId,
    targetId: target.id,
    endpoint: target.endpoint,
    trigger: errand.trigger,
    status: answer.status,
    problem: answer.status === undefined ? answer.problem : undefined,
    ms: Math.round(clock.monotonic() - started),
    signature,
    body: redactText(payload).slice(0, shownBody),
  });
  return answer;
}

/** A message that receivers may replace: `value` is what to go on with. */
export interface Replaceable {
  value: unknown;
  /** Its JSON, camelCase, defaults left out. */
  readonly json: () => unknown;
  readonly replace: (body: string) => void;
}

/** Unlike a client's body, a receiver's must not have unknown fields. */
export function replaceable(schema: z.ZodType, value: unknown): Replaceable {
  const message: Replaceable = {
    value,
    json: () => encode(schema, message.value),
    replace(body) {
      const bytes = Buffer.from(body);
      const next = decode(schema, bytes);
      const stranger = unknownField(planOf(schema), JSON.parse(body));
      if (stranger !== undefined) throw new DecodeError(`proto: unknown field "${stranger}"`);
      message.value = next;
    },
  };
  return message;
}

function unknownField(plan: MessagePlan, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => unknownField(plan, item)).find((name) => name !== undefined);
  }
  if (typeof value !== 'object' || value === null || plan.rule.open) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const field = plan.byName.get(name);
    if (field === undefined) return name;
    const found = field.message === undefined ? undefined : unknownField(field.message, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
