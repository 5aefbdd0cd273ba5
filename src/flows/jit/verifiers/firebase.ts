/** Firebase and Identity Platform: signInWithPassword, which takes email addresses. */
import { z } from 'zod';
import { isObject } from '../../../lib/json-value.ts';
import { AttemptError, type Verdict } from '../verifier.ts';
import { answered, jsonVerifier, nameOf, someText } from './kind.ts';

const settings = z.strictObject({
  apiKey: someText,
  /** Tenant of a multi-tenant project. */
  tenantId: someText.optional(),
  /** Replaces Google's endpoint, for example with the emulator's. */
  endpoint: z.url().default('https://identitytoolkit.googleapis.com/v1'),
});

const verdicts: Readonly<Record<string, Verdict>> = {
  INVALID_PASSWORD: 'wrong',
  // With email enumeration protection, unknown addresses get this answer too.
  INVALID_LOGIN_CREDENTIALS: 'wrong',
  EMAIL_NOT_FOUND: 'unknown',
  USER_DISABLED: 'unknown',
  INVALID_EMAIL: 'unknown',
};

export const firebase = jsonVerifier(settings, {
  url: ({ apiKey, endpoint }) =>
    `${endpoint.replace(/\/$/, '')}/accounts:signInWithPassword?key=${encodeURIComponent(apiKey)}`,
  name: (attempt) => nameOf(attempt, 'email'),
  request: ({ tenantId }, { name: email, password }) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, returnSecureToken: false, tenantId }),
  }),
  verdict(status, { localId, error }) {
    // A captive portal or proxy may answer 200 too, so check for a user id.
    if (status === 200 && typeof localId === 'string' && localId !== '') return 'right';
    const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : '';
    const [code = ''] = message.split(' ');
    const verdict = verdicts[code];
    if (verdict !== undefined) return verdict;
    if (code === 'TOO_MANY_ATTEMPTS_TRY_LATER') throw new AttemptError(`it answered ${code}`);
    throw answered(status, code);
  },
});
