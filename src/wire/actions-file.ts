/** Schema of the file of `idport actions apply`, which declares the targets and executions of a service. */
import { z } from 'zod';
import { parseDuration } from '../lib/go-duration.ts';
import { longestTimeout, targetKinds } from './actions.ts';

export const longestTargetTimeoutMs = longestTimeout * 1000;
/** The service's HTTP client gives up after this time, whatever the target's timeout. */
export const effectiveTimeoutMs = 30_000;

const timeout = z
  .string()
  .transform((text, context) => {
    const ms = timeoutMs(text);
    if (ms !== undefined && ms > 0 && ms <= longestTargetTimeoutMs) return ms;
    context.addIssue({
      code: 'custom',
      message: 'must be a duration over 0s and up to 270s, for example 10s',
    });
    return z.NEVER;
  })
  .prefault('10s');

export const endpoint = z
  .string()
  .max(2048)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must be an http:// or https:// address',
  );

const targetEntry = z.strictObject({
  /** Identifies the target, so it must be unique at the service. */
  name: z.string().min(1).max(1000),
  endpoint,
  /** A Go duration in the file; milliseconds once parsed. */
  timeout,
  kind: z.enum(targetKinds).default('webhook'),
  interruptOnError: z.boolean().default(false),
  payload: z.enum(['json', 'jwt', 'jwe']).default('json'),
});

const methodForm = 'must look like /zitadel.user.v2.UserService/AddHumanUser';
const name = z.string().min(1).max(1000);
const all = z.literal(true);
const byCall = z.union([
  z.strictObject({ method: name.refine((text) => /^\/\S+\/\S+$/.test(text), methodForm) }),
  z.strictObject({ service: name }),
  z.strictObject({ all }),
]);
const condition = z.union(
  [
    z.strictObject({ request: byCall }),
    z.strictObject({ response: byCall }),
    z.strictObject({ function: z.strictObject({ name }) }),
    z.strictObject({
      event: z.union([
        z.strictObject({ event: name }),
        z.strictObject({ group: name }),
        z.strictObject({ all }),
      ]),
    }),
  ],
  'must have one of request, response (method, service or all), function (name), event (event, group or all)',
);

const executionEntry = z.strictObject({
  condition,
  /** Targets in the order in which they are called, each by its name (in this file or at the service) or its id. */
  targets: z
    .array(z.union([name, z.strictObject({ target: name }).transform(({ target }) => target)]))
    .min(1),
});

export const actionsFile = z.strictObject({
  targets: z.array(targetEntry).default([]),
  executions: z.array(executionEntry).default([]),
});
export type ActionsFile = z.output<typeof actionsFile>;

function timeoutMs(text: string) {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
