/** The flags about emails and SMS. */
import { choice, group, output, parsed, shared, readLimit } from '../lib/flag.ts';

export const mailListFlags = group('Report', {
  mailList: output('write a CSV of the users who will get an email or an SMS, and why'),
});

export const messageFlags = {
  ...group(
    'Rules',
    shared({
      maxEmails: parsed('<n>', 'maximum emails that the service may send, or unlimited', readLimit, '0'),
      maxSms: parsed('<n>', 'maximum SMS that the service may send, or unlimited', readLimit, '0'),
    }),
  ),
  ...mailListFlags,
};

export const phoneFlags = group(
  'Rules',
  shared({
    phone: choice(
      '<rule>',
      'phone numbers that are not verified: the bulk import and --api=v1 send an SMS',
      ['keep', 'assume-verified', 'drop'],
      'keep',
    ),
  }),
);
