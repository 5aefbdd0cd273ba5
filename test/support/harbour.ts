/** What must come of each user of the two realms that real Keycloaks exported: written by hand, checked field by field. */

export interface HarbourUser {
  readonly userName: string;
  /** `<userName>@example.org` where absent. */
  readonly email?: string;
  readonly isUnverified?: boolean;
  /** `Odd Person` where absent. */
  readonly names?: readonly [first: string, last: string];
  readonly profile?: Readonly<Record<string, string>>;
  readonly phone?: readonly [number: string, isVerified: boolean];
  /** The secret as Keycloak keeps it. */
  readonly otp?: string;
  readonly idps?: readonly object[];
  readonly isInactive?: boolean;
  readonly hasNoPassword?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly codes?: readonly string[];
}

/** Users of the input that are not in the body, with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  ['n'.repeat(255)]: 'user-skipped:field-too-long',
  nomail1: 'user-skipped:no-email',
  nomail2: 'user-skipped:no-email',
  'service-account-robot-arm': 'user-skipped:service-account',
  'service-account-shop': 'user-skipped:service-account',
};

const firstNames = [
  'Ada',
  'Björn',
  'Chiyo 千代',
  'Đorđe',
  'Élodie',
  'Fāṭima',
  'Gökçe',
  'Иван',
  '민준',
  "O'Neil",
];
const lastNames = [
  'Müller',
  'van der Berg',
  'ʻOkina',
  'Žižek',
  '山田',
  'Öztürk',
  'Smith-Jones',
  'Ñandú',
  'Łęcki',
  'D’Angelo',
];
const languages = ['en', 'de', 'fr', 'ja', 'pt'];

function series(
  prefix: string,
  count: number,
  user: (index: number) => Omit<HarbourUser, 'userName'>,
): HarbourUser[] {
  return Array.from({ length: count }, (_, index) => ({
    userName: `${prefix}${String(index).padStart(3, '0')}`,
    ...user(index),
  }));
}

/** Every seventh of ten names. */
const seventh = (index: number): number => (index * 7) % 10;

const staff = (index: number): Omit<HarbourUser, 'userName'> => ({
  names: [firstNames[index % 10]!, lastNames[index % 10]!],
  phone: [`+4179100${String(index).padStart(4, '0')}`, index % 3 === 0],
  profile: { preferredLanguage: languages[index % 5]! },
  metadata: { department: index % 4 === 0 ? '["R&D","Sales \\"EMEA\\""]' : 'R&D' },
  codes: ['group:not-migrated'],
});

const google = (externalUserId: string, displayName: string): object => ({
  configId: '11',
  externalUserId,
  displayName,
});

const both: readonly HarbourUser[] = [
  ...series('hist', 5, () => ({ names: ['Hist', 'Ory'], codes: ['password:history'] })),
  ...series('sha1-', 5, () => ({ names: ['One', 'Sha'] })),
  { userName: 'actions1', codes: ['required-action:not-migrated'] },
  { userName: 'badphone', phone: ['+41791112233', false], metadata: { phoneNumber: '617' } },
  {
    userName: 'disabled-unverified',
    email: 'disabled2@example.org',
    isUnverified: true,
    isInactive: true,
    codes: ['state:needs-v4'],
  },
  { userName: 'disabled1', isInactive: true, codes: ['state:needs-v4'] },
  { userName: 'emoji', names: ['Emoji 😀👩‍👩‍👧', 'Combining é ̈'] },
  { userName: 'idn', email: 'idn@bücher.example' },
  { userName: 'jürgen', names: ['Jürgen', 'Weiß'] },
  {
    userName: 'linked1',
    hasNoPassword: true,
    idps: [google('108234567890123456789', 'linked1@gmail.com')],
  },
  {
    userName: 'linked2',
    idps: [
      { configId: '22', externalUserId: '583231', displayName: 'octocat' },
      google('108234567890123456780', 'linked2@gmail.com'),
    ],
    codes: ['idp:unmapped-alias'],
  },
  { userName: 'localhost', email: 'root@localhost' },
  { userName: 'longname', names: ['L'.repeat(200), 'M'.repeat(200)], codes: ['field:truncated'] },
  { userName: 'longpw' },
  { userName: 'mail@as.username', email: 'mail@as.username' },
  { userName: 'mixedcase', email: 'mixed.case@example.org' },
  { userName: 'mobilefirst', phone: ['+41446680000', true], metadata: { mobile: '+41790000001' } },
  { userName: 'nonames', names: ['nonames', 'nonames'], codes: ['name:filled'] },
  { userName: 'nopassword', hasNoPassword: true, codes: ['password:none'] },
  { userName: 'not-a-mail@idir', email: 'idir@example.org' },
  { userName: 'onlyfirst', email: 'cher@example.org', names: ['Cher', 'onlyfirst'], codes: ['name:filled'] },
  { userName: 'otp-8', email: 'otp4@example.org', codes: ['otp:parameters'] },
  { userName: 'otp-hotp', email: 'otp6@example.org', codes: ['otp:hotp'] },
  { userName: 'otp-raw', email: 'otp1@example.org', otp: 'DJmQfC73VGFhw7D4QJ8A' },
  { userName: 'otp-sha256', email: 'otp5@example.org', codes: ['otp:parameters'] },
  { userName: 'otp-two', email: 'otp3@example.org', otp: 'AAAAbbbbCCCCdddd1111', codes: ['otp:extra'] },
  { userName: 'passkey1', codes: ['mfa:webauthn'] },
  { userName: 'plus.tag', email: 'plus+tag@example.org' },
  { userName: 'roles1', codes: ['role:not-migrated', 'group:not-migrated'] },
  { userName: 'same-mail-1', email: 'same@example.org' },
  { userName: 'same-mail-2', email: 'same@example.org' },
  { userName: 'service-account-impostor', email: 'impostor@example.org' },
  {
    userName: 'service-account-nopw',
    email: 'impostor2@example.org',
    hasNoPassword: true,
    codes: ['password:none'],
  },
  { userName: 'shortpw' },
  { userName: 'temporary1', codes: ['required-action:not-migrated'] },
  { userName: 'unverified1', isUnverified: true },
];

export const harbour26: readonly HarbourUser[] = [
  ...both,
  ...series('def', 120, staff),
  ...series('sha256-', 60, (index) => ({ names: [firstNames[seventh(index)]!, lastNames[seventh(index)]!] })),
  ...series('sha512-', 30, (index) => ({ names: ['S', lastNames[seventh(index)]!] })),
  ...series('argon3-', 5, () => ({ names: ['Argon', 'Three'] })),
  { userName: 'acme1', email: 'one@acme.example' },
  { userName: 'both', email: 'both@acme.example' },
  { userName: 'arabic', names: ['فاطمة', 'الزهراء'] },
  {
    userName: 'enrolled-otp-d',
    email: 'enrolled1@example.org',
    names: ['Really', 'Enrolled'],
    otp: 'j8pcPlbWpUNPQGTKQOss',
  },
  {
    userName: 'enrolled-recovery-d',
    email: 'enrolled2@example.org',
    names: ['Really', 'Enrolled'],
    otp: 'cTfRrIdIa8t9vnnHwPfb',
    codes: ['mfa:recovery-codes'],
  },
  { userName: 'otp-b32', email: 'otp2@example.org' },
  { userName: 'recovery1', codes: ['mfa:recovery-codes'] },
  {
    userName: 'multi',
    phone: ['+41446681800', true],
    profile: { nickName: 'Multi', displayName: 'Multi P.' },
    metadata: {
      zoneinfo: 'Europe/Zurich',
      birthdate: '1980-02-29',
      gender: 'nonbinary-ish',
      mobile: '["+41791234567","+41797654321"]',
      picture: 'https://example.org/p.png',
      long: 'x'.repeat(2000),
      phone: '044 668 18 00',
      json: '{"a":[1,2]}',
      middleName: 'Mid',
      'weird name:;': 'v',
      department: '["a","b","c"]',
      nl: 'line1\nline2',
    },
  },
];

export const harbour18: readonly HarbourUser[] = [
  ...both,
  ...series('def', 20, staff),
  ...series('sha256-', 10, (index) => ({ names: [firstNames[seventh(index)]!, lastNames[seventh(index)]!] })),
  ...series('sha512-', 5, (index) => ({ names: ['S', lastNames[seventh(index)]!] })),
  {
    userName: 'enrolled-otp',
    email: 'enrolled1@example.org',
    names: ['Really', 'Enrolled'],
    otp: 'mA6bKGvuJ0tkf12BK1sc',
  },
  { userName: 'htmlname', email: 'html@example.org', names: ['<b>Bold</b>', 'A & B "C"'] },
  { userName: 'recovery1' },
  {
    userName: 'tabname',
    email: 'tab@example.org',
    names: ['Tab Name', 'Line Break'],
    codes: ['field:cleaned'],
  },
];
