/** An endpoint of the operator's own: a signed POST, and `{"result":"right"}`, `wrong` or `unknown` as the answer. */
import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { signatureHeader, signBody } from '../../../wire/signature.ts';
import { VerifierError } from '../verifier.ts';
import { createJsonSender } from './http-json.ts';
import { type VerifierKind, verifierKind } from './kind.ts';

const settings = z.strictObject({
  url: z.url(),
  /** Signs the call as the service signs its own, so that the same code verifies it. */
  signingKey: z.string().min(16),
});

const answerSchema = z.object({ result: z.enum(['right', 'wrong', 'unknown']) });

export function http(clock: Clock): VerifierKind {
  return verifierKind(settings, ({ url, signingKey }, env) => {
    const sender = createJsonSender(url, env);
    return {
      async check({ userId, userName, loginName, email, password }, signal) {
        const body = JSON.stringify({ userId, userName, loginName, email, password });
        const { status, json } = await sender.post({
          url,
          headers: {
            'content-type': 'application/json',
            [signatureHeader]: signBody(body, signingKey, clock.now() / 1000),
          },
          body,
          signal,
        });
        const answer = answerSchema.safeParse(json).data;
        if (status === 200 && answer !== undefined) return answer.result;
        throw new VerifierError(`it answered with status ${status} and no result`);
      },
      close: () => sender.close(),
    };
  });
}
