/** An organization with something of everything that an import can carry. */
import { readProject } from './folder.ts';

export const hash = `$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`;

/** `prefix` keeps the ids and names of two apart. */
export function richOrg(orgId: string, name: string, prefix: string, users = 6): Record<string, unknown> {
  const ids = Array.from({ length: users }, (_, i) => `${prefix}-user-${i}`);
  const named: Readonly<Record<string, string>> = { ORG: orgId, NAME: name, PREFIX: prefix };
  const text = readProject('fixtures/rich-org.json').replaceAll(/ORG\b|NAME|PREFIX/g, (word) => named[word]!);
  return {
    ...JSON.parse(text),
    humanUsers: ids.map((userId, i) => ({
      userId,
      ...(i === 1 && { state: 'USER_STATE_INACTIVE' }),
      user: {
        userName: userId,
        profile: {
          firstName: 'Ada',
          lastName: `Number ${i}`.padEnd(i === 4 ? 200 : 0, '!'),
          preferredLanguage: 'en',
        },
        email: { email: `${userId}@acme.example`, isEmailVerified: true },
        ...(i === 2 && { phone: { phone: '+41446681800', isPhoneVerified: true } }),
        ...(i === 3 && { otpCode: 'JBSWY3DPEHPK3PXP' }),
        hashedPassword: { value: hash },
      },
    })),
    userMetadata: ids.map((userId) => ({ id: userId, key: 'legacy', value: 'b2xk' })),
  };
}

type Entries = Record<string, any>;

/** An exported organization with its lists in a fixed order, and without what each instance makes for itself. */
export function comparable({ domains = [], orgMembers = [], ...rest }: Entries): Entries {
  const sorted = Object.entries(rest).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value,
  ]);
  return {
    ...Object.fromEntries(sorted),
    // The default domain is generated, and the importing caller becomes a member.
    domains: domains
      .filter(({ domainName }: Entries) => domainName.endsWith('.acme.example'))
      .map(({ domainName }: Entries) => domainName),
    orgMembers: orgMembers.filter(({ userId }: Entries) => userId.includes('user-')),
  };
}
