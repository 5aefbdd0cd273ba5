/** Firebase and Identity Platform: signInWithPassword, which takes email addresses. */
import { z } from 'zod';
import { isObject } from '../../../lib/json-value.ts';
import { AttemptError, VerifierError, type Verdict } from '../verifier.ts';
import { createJsonSender } from './http-json.ts';
import { nameOf, verifierKind } from './kind.ts';

const settings = z.strictObject({
  apiKey: z.string().min(1),
  /** Of a multi-tenant project. */
  tenantId: z.string().min(1).optional(),
  /** In place of Google's own address: that of the emulator. */
  endpoint: z.url().default('https://identitytoolkit.googleapis.com/v1'),
});

export const firebase = verifierKind(settings, ({ apiKey, tenantId, endpoint }, env) => {
  const sender = createJsonSender(endpoint, env);
  const url = `${endpoint.replace(/\/$/, '')}/accounts:signInWithPassword?key=${encodeURIComponent(apiKey)}`;
  return {
    async check(attempt, signal) {
      const { password } = attempt;
      const email = nameOf(attempt, 'email');
      if (email === '') return 'unknown';
      const { status, json } = await sender.post({
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          email,
          password,
          returnSecureToken: false,
          tenantId,
        }),
        signal,
      });
      return readAnswer(status, json);
    },
    close: () => sender.close(),
  };
});

const verdicts: Readonly<Record<string, Verdict>> = {
  INVALID_PASSWORD: 'wrong',
  // With protection against email enumeration an unknown address has this answer too.
  INVALID_LOGIN_CREDENTIALS: 'wrong',
  EMAIL_NOT_FOUND: 'unknown',
  USER_DISABLED: 'unknown',
  INVALID_EMAIL: 'unknown',
};

function readAnswer(status: number, json: unknown): Verdict {
  // A proxy or a portal answers 200 as well.
  if (status === 200 && isObject(json) && typeof json['localId'] === 'string' && json['localId'] !== '')
    return 'right';
  const error = isObject(json) && isObject(json['error']) ? json['error'] : {};
  const code = typeof error['message'] === 'string' ? (error['message'].split(' ')[0] ?? '') : '';
  const verdict = verdicts[code];
  if (verdict !== undefined) return verdict;
  if (code === 'TOO_MANY_ATTEMPTS_TRY_LATER') throw new AttemptError(`it answered ${code}`);
  throw new VerifierError(`it answered with status ${status}${/^\w{1,60}$/.test(code) ? ` ${code}` : ''}`);
}
