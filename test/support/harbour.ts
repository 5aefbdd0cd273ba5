/** What must come of users of two realms that real Keycloaks exported, where it is not what their export says word for word. */

export interface HarbourUser {
  readonly names?: readonly [first: string, last: string];
  readonly profile?: Readonly<Record<string, string>>;
  readonly phone?: readonly [number: string, isVerified: boolean];
  /** The secret as Keycloak keeps it. */
  readonly otp?: string;
  readonly idps?: readonly object[];
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

const languages = ['en', 'de', 'fr', 'ja', 'pt'];

const staff = (index: number): HarbourUser => ({
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

const inBoth: Readonly<Record<string, HarbourUser>> = {
  actions1: { codes: ['required-action:not-migrated'] },
  badphone: { phone: ['+41791112233', false], metadata: { phoneNumber: '617' } },
  'disabled-unverified': { codes: ['state:needs-v4'] },
  disabled1: { codes: ['state:needs-v4'] },
  linked1: { idps: [google('108234567890123456789', 'linked1@gmail.com')] },
  linked2: {
    idps: [
      { configId: '22', externalUserId: '583231', displayName: 'octocat' },
      google('108234567890123456780', 'linked2@gmail.com'),
    ],
    codes: ['idp:unmapped-alias'],
  },
  longname: { names: ['L'.repeat(200), 'M'.repeat(200)], codes: ['field:truncated'] },
  mobilefirst: { phone: ['+41446680000', true], metadata: { mobile: '+41790000001' } },
  nonames: { names: ['nonames', 'nonames'], codes: ['name:filled'] },
  nopassword: { codes: ['password:none'] },
  onlyfirst: { names: ['Cher', 'onlyfirst'], codes: ['name:filled'] },
  'otp-8': { codes: ['otp:parameters'] },
  'otp-hotp': { codes: ['otp:hotp'] },
  'otp-raw': { otp: 'DJmQfC73VGFhw7D4QJ8A' },
  'otp-sha256': { codes: ['otp:parameters'] },
  'otp-two': { otp: 'AAAAbbbbCCCCdddd1111', codes: ['otp:extra'] },
  passkey1: { codes: ['mfa:webauthn'] },
  roles1: { codes: ['role:not-migrated', 'group:not-migrated'] },
  'service-account-nopw': { codes: ['password:none'] },
  temporary1: { codes: ['required-action:not-migrated'] },
};

export const harbour26: Readonly<Record<string, HarbourUser>> = {
  ...inBoth,
  'enrolled-otp-d': { otp: 'j8pcPlbWpUNPQGTKQOss' },
  'enrolled-recovery-d': { otp: 'cTfRrIdIa8t9vnnHwPfb', codes: ['mfa:recovery-codes'] },
  recovery1: { codes: ['mfa:recovery-codes'] },
  multi: {
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
};

export const harbour18: Readonly<Record<string, HarbourUser>> = {
  ...inBoth,
  'enrolled-otp': { otp: 'mA6bKGvuJ0tkf12BK1sc' },
  tabname: { names: ['Tab Name', 'Line Break'], codes: ['field:cleaned'] },
};

/** Of two series of users the names end in numbers. */
export function expectedOf(users: Readonly<Record<string, HarbourUser>>, name: string): HarbourUser {
  const [, series, number] = /^(def|hist)(\d{3})$/.exec(name) ?? [];
  if (series === 'def') return staff(Number(number));
  return series === 'hist' ? { codes: ['password:history'] } : (users[name] ?? {});
}
