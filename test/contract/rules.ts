/** Every rule of the contract, and the test that holds this server to it. */
import { actionRules } from './action-rules.ts';
import { type RuleEntry, rules, type Section } from './entry.ts';

const decode = 'wire/codec';
const importUser = 'server/methods/import-user';
const importData = 'server/methods/import-data';
const exported = 'server/export/export';
const actions = 'server/methods/actions';
const dispatch = 'server/actions/dispatch';
const gate = 'server/limits/gate';
const users = 'server/methods/users';
const sessions = 'server/methods/sessions';
const token = 'server/routes/token';

export const ruleSections: readonly Section<RuleEntry>[] = [
  rules(
    '0.1',
    'JSON',
    [
      [
        'camelCase and snake_case, freely mixed, in; camelCase out',
        decode,
        'takes camel case and snake case',
      ],
      ['unknown fields and enum names are dropped', decode, 'drops unknown fields and unknown enum names'],
      ['enums by name and by number', decode, 'reads enums by name and by number'],
      ['null is unset, but not in a list of messages', decode, 'reads null as unset'],
      ['64-bit numbers are texts on the way out', decode, 'reads 64-bit numbers from numbers and strings'],
      ['base64 in either alphabet, with or without padding', decode, 'reads bytes in either alphabet'],
      ['two members of a oneof are a 400', decode, 'refuses two members of one oneof'],
      [
        'only the first JSON value counts; an empty body is an empty message',
        decode,
        'takes the first value only',
      ],
      ['defaults are left out of answers', actions, 'leave out what is default'],
      ['unknown path 404, other method 405 with code 12', 'server/app', 'answers an unknown path with 404'],
      ['what is no JSON is 400 with code 3 and no details', 'server/app', 'comes before the token'],
    ],
    ['white space of answers changes from build to build'],
  ),
  rules('0.2', 'Order of processing', [
    ['token and permission before field rules', importUser, 'is judged before the fields are'],
    ['request targets before field rules, after the token', dispatch, 'comes before the field rules'],
    ['a blocked instance before the token', gate, 'block the instance before the token is looked at'],
    ['the quota after the token', gate, 'count calls with a token against a quota'],
    ['an unknown host is 404', 'server/app', 'must be one of the instance'],
  ]),
  rules('0.3', 'Field rules', [
    [
      'the first violation only, with its path, no details',
      'wire/validate',
      'speaks of one bad record with its whole path',
    ],
    ['lengths count code points', 'wire/validate', 'counts code points'],
    [
      'one bad record refuses a whole bulk body',
      importData,
      'is refused for one record that breaks a field rule',
    ],
  ]),
  rules('0.4', 'Headers', [['headers of success', 'server/app', 'carries the headers of the service']]),
  rules('1', 'One user', [
    ['the server makes the id; otpCode and recoveryCodes are dropped', importUser, 'makes its own id'],
    ['user name and address are trimmed', importUser, 'trims the user name and the address'],
    ['languages and phone numbers are normalised', importUser, 'reads languages and numbers'],
    ['a hash wins over a password', importUser, 'lets the hash win over a password'],
    [
      'passwordChangeRequired counts with a password only',
      importUser,
      'asks for a new password only of those',
    ],
    ['user names are unique in any case, per instance or per org', importUser, 'gives a name once per org'],
    ['e-email addresses are not unique', importUser, 'lets the e-email be shared'],
    ['details without a date of change', importUser, 'answers with id and details'],
    ['link for a passkey on request', importUser, 'gives a link for a passkey'],
    ['the table of emails and states', importUser, 'email and state'],
    [
      'org from the header, else the caller\u2019s own',
      importUser,
      'is the caller\u2019s own without a header',
    ],
    [
      'no role in the org 404, may not write 403',
      importUser,
      'refuses a caller without a role in it with 404',
    ],
  ]),
  rules('2', 'Bulk import', [
    [
      'timeout is a Go duration; what is none is a 500 with code 2',
      importData,
      'is refused with 500 and Go\u2019s words',
    ],
    ['a timeout leaves what was done and says nothing of it', importData, 'leaves what was done'],
    [
      'entries without their record: a 400 for the body',
      importData,
      'is refused for an entry without its record',
      'differs because the process of the service would end',
    ],
    [
      'what stands before the service cuts long calls',
      importData,
      'may be cut before by what stands in front',
      'differs because no one says how: it is a 504 here',
    ],
    [
      'texts of every kind are kept, in the org that they belong to',
      importData,
      'of every kind are kept',
      'differs because the service loses some kinds, and writes others to the org of the request',
    ],
    ['background variants answer {} at once', importData, 'answers {} at once and does the work afterwards'],
    ['what cannot be read is in the log only', exported, 'that cannot be read is only in the log'],
    [
      'a file in a bucket has the bare form; a converted body imports no user',
      importData,
      'imports nothing from a converted body',
    ],
    ['field rules do not apply to a file', importData, 'judges no field rules'],
    ['an org that is there is a benign error', importData, 'takes users into an org that is there'],
    ['an org that is named is made, the caller owns it', importData, 'makes an org that has a name'],
    ['an org that is neither is left out with 200', importData, 'leaves out everything of an org'],
    [
      'three passes: grants may name orgs that come later',
      importData,
      'lets grants name orgs that stand later',
    ],
    ['types and ids of errors', importData, 'have the types and ids of the service'],
    ['humanUserIds echo what was sent', importData, 'echoes the id that was sent'],
    [
      'ids are taken once per instance; the first of two wins',
      importData,
      'takes the first of two equal ids',
    ],
    ['a body that comes again doubles nothing', importData, 'doubles nothing when the body comes again'],
    [
      'second factors are tried even of users who were refused',
      importData,
      'tries second factors even of users',
    ],
    ['service accounts get the inner id', importData, 'gives a service account the inner id'],
    ['scripts are repeated before every role', importData, 'repeats the scripts before every role'],
    ['over 4 MiB as protobuf: 429 with the size', gate, 'over 4 MiB as protobuf are refused'],
    ['the first form, as an object', importData, 'comes as an object'],
    ['the first form drops triggers of the second', importData, 'drops triggers in the digits'],
  ]),
  rules('3', 'Export', [
    ['everything that was imported', exported, 'holds everything that was imported'],
    [
      'hashes and one-time password secrets on request only',
      exported,
      'holds hashes and one-time password secrets',
    ],
    ['service accounts without the inner id', exported, 'gives service accounts as the service does'],
    ['grants and members are filtered to what is exported', exported, 'leaves out grants and members'],
    ['the answer can be imported as it is', exported, 'imported elsewhere gives the same users'],
    ['over 10 MiB: 429 with the size', exported, 'over 10 MiB is refused'],
    [
      'a file in a bucket',
      exported,
      'writes what the answer would have held',
      'differs because the service ignores the bucket and answers with the data',
    ],
  ]),
  rules(
    '4',
    'Errors and limits',
    [
      ['429 of the front door: plain text, no Retry-After', gate, 'answers 429 in plain text'],
      ['50 requests/s over a minute, by address', gate, 'comes with the profile'],
      ['a ban of a minute after three minutes over it', gate, 'bans for a minute'],
      ['token requests count', gate, 'counts token requests too'],
      ['cookie with every 429, rolled back with the next success', gate, 'count calls with a token'],
      ['unknown errors are 500 RECOVER', importUser, 'RECOVER'],
    ],
    ['texts in the language of the caller: always English here', 'rates of /ui: there is none'],
  ),
  rules(
    '5',
    'Tokens',
    [
      ['401 answers with WWW-Authenticate', 'server/app', 'is refused with 401'],
      ['every method by every role', 'server/auth', 'asks for the permission that it should'],
      ['JWT profile: audience, age, signature, issuer', token, 'refuses %s'],
      ['twelve hours, an id token for openid', token, 'gives a token for twelve hours'],
      [
        'without the scope of the interface the token opens nothing',
        token,
        'gives a token that opens nothing',
      ],
      ['client credentials as HTTP Basic and in the form', token, 'come as HTTP Basic or in the form'],
      ['key files, secrets and personal tokens over the interface', token, 'are made, and get a key file'],
      [
        'access tokens are opaque, or JWT where the service user has them so',
        token,
        'are made, and get a key',
      ],
    ],
    [],
  ),
  actionRules,
  rules('7', 'Creating users', [
    [
      'takes id, metadata, one-time password, a hash to be changed',
      'server/methods/create-user',
      'takes id, names, metadata',
    ],
    ['never the initialization email', 'server/methods/create-user', 'never sends the initialization email'],
    [
      'org from the body, before the header',
      'server/methods/create-user',
      'puts the user into the org that the body names',
    ],
  ]),
  rules('8', 'Password hashes', [
    ['which hash is refused with which id', 'profiles/server-verdict', 'CRYPT-'],
    ['the quick judgement is the same', 'server/users/password', 'agrees with the server for'],
    ['the old password signs in, whatever the algorithm', 'server/login', 'opens a session'],
    [
      'a hash of another algorithm is renewed at the first login',
      sessions,
      'renews a hash of another algorithm',
    ],
    ['the lockout policy of the org counts', sessions, 'locks after as many failures'],
    ['a wrong password is counted', sessions, 'is refused for a wrong one'],
    ['a hash that nothing verifies is a 500', sessions, 'answers 500 where nothing can verify'],
  ]),
  rules('10', 'Look-ups and changes', [
    ['metadata: many keys, unchanged ones are none', 'server/methods/metadata', 'sets many keys'],
    ['grants and their refusals', 'server/methods/grants-and-links', 'are given, found and rolled back'],
    ['links in both versions', 'server/methods/grants-and-links', 'are made and found by both versions'],
    ['initial users cannot be deactivated, but locked', users, 'leaves initial users as they are'],
    ['search of version 1: all, pages of any length', users, 'gives the whole org'],
    ['an empty page of a list has no total', users, 'tells no total of an empty page'],
    ['search of version 2: across orgs, 100 by default', users, 'gives a hundred by default'],
    [
      'events of users who are gone',
      'server/methods/events',
      'go with the users whom they tell of',
      'differs because the log of the service keeps them',
    ],
    ['events by type, at most thirty of them', 'server/methods/events', 'take at most thirty names'],
    ['deleting frees id and name', users, 'frees id and name'],
    ['health without a token', 'server/routes/health', 'health'],
    ['lists say how far they are', 'server/lag', 'say up to when they show what was written'],
    [
      'lists lag behind writes, look-ups by id do not',
      'server/lag',
      'show a new user after the lag',
      'differs because the lag is a setting, `--lag`, and 0 without it',
    ],
  ]),
  rules('14', 'Sessions, deleted organizations', [
    [
      'a wrong TOTP code is refused and counted',
      sessions,
      'is refused when it is wrong, or the user has none',
    ],
    ['sessions are read and deleted', sessions, 'is gone after a delete'],
    ['users who are initial, inactive or locked get no session', sessions, 'SESSION-Gj4ko'],
    [
      'the ids of users of a deleted organization stay taken',
      importData,
      'keeps the ids of users of a deleted',
    ],
    ['entries of a deleted organization are worked off', importData, 'keeps the ids of users of a deleted'],
  ]),
];
