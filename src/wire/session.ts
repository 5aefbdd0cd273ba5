/** A session made by checking a user and a password: the proof that an imported hash still lets its owner in. */
import type { z } from 'zod';
import { objectDetails } from './details.ts';
import { duration, message, optionalText, text } from './message.ts';

export const createSessionRequest = message('CreateSessionRequest', {
  checks: message('Checks', {
    user: message(
      'CheckUser',
      { userId: optionalText({ min: 1, max: 200 }), loginName: optionalText({ min: 1, max: 200 }) },
      {
        fullName: 'zitadel.session.v2.CheckUser',
        oneofs: [{ name: 'search', members: ['userId', 'loginName'], required: true }],
      },
    ).optional(),
    password: message('CheckPassword', { password: text({ min: 1, max: 200 }) }).optional(),
    totp: message('CheckTOTP', { code: text({ min: 6, max: 6 }) }).optional(),
  }).optional(),
  lifetime: duration(),
});
export type CreateSessionInput = z.input<typeof createSessionRequest>;

export const createSessionResponse = message('CreateSessionResponse', {
  details: objectDetails.optional(),
  sessionId: text(),
  sessionToken: text(),
});
export type CreateSessionResponse = z.output<typeof createSessionResponse>;
