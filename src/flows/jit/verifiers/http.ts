/** Asks the operator's own endpoint with a signed POST. It answers `{"result":"right"}`, or `expired`, `wrong`, `unknown`. */
import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { signatureHeader, signBody } from '../../../wire/signature.ts';
import { VerifierError } from '../verifier.ts';
import { jsonVerifier, type VerifierKind } from './kind.ts';

const settings = z.strictObject({
  url: z.url(),
  /** Signs the call as the service signs its calls, so that the same code can verify it. */
  signingKey: z.string().min(16),
});

const answerSchema = z.object({ result: z.enum(['right', 'expired', 'wrong', 'unknown']) });

export const http = (clock: Clock): VerifierKind =>
  jsonVerifier(settings, {
    url: ({ url }) => url,
    name: ({ userId }) => userId,
    request({ signingKey }, { userId, userName, loginName, email, password }) {
      const body = JSON.stringify({ userId, userName, loginName, email, password });
      const signature = signBody(body, signingKey, clock.now() / 1000);
      return { headers: { 'content-type': 'application/json', [signatureHeader]: signature }, body };
    },
    verdict(status, json) {
      const answer = answerSchema.safeParse(json).data;
      if (status === 200 && answer !== undefined) return answer.result;
      throw new VerifierError(`it answered with status ${status} and no result`);
    },
  });
