/** An organization with something of everything that an import can carry. */

export const hash = `$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`;

/** `prefix` keeps the ids and names of two apart. */
export function richOrg(orgId: string, name: string, prefix: string, users = 6): Record<string, unknown> {
  const id = (text: string) => `${prefix}-${text}`;
  const ids = Array.from({ length: users }, (_, i) => id(`user-${i}`));
  return {
    orgId,
    org: { name },
    domains: [{ domainName: `${prefix}.acme.example`, isVerified: true, isPrimary: true }],
    domainPolicy: { orgId, userLoginMustBeDomain: false, validateOrgDomains: false },
    labelPolicy: { primaryColor: '#112233', fontColor: '#000000' },
    lockoutPolicy: { maxPasswordAttempts: 7 },
    loginPolicy: { allowUsernamePassword: true, allowRegister: true, passwordCheckLifetime: '864000s' },
    passwordComplexityPolicy: { minLength: '9', hasNumber: true },
    privacyPolicy: { tosLink: 'https://acme.example/tos' },
    oidcIdps: [
      {
        idpId: id('idp'),
        idp: {
          name: 'Acme Login',
          clientId: 'client',
          clientSecret: 'not-so-secret',
          issuer: 'https://login.acme.example',
        },
      },
    ],
    initMessages: [{ language: 'en', title: 'Hello', subject: 'Welcome', text: 'Come in' }],
    humanUsers: ids.map((userId, i) => ({
      userId,
      ...(i === 1 ? { state: 'USER_STATE_INACTIVE' } : {}),
      user: {
        userName: userId,
        profile: {
          firstName: 'Ada',
          lastName: `Number ${i}`.padEnd(i === 4 ? 200 : 0, '!'),
          preferredLanguage: 'en',
        },
        email: { email: `${userId}@acme.example`, isEmailVerified: true },
        ...(i === 2 ? { phone: { phone: '+41446681800', isPhoneVerified: true } } : {}),
        ...(i === 3 ? { otpCode: 'JBSWY3DPEHPK3PXP' } : {}),
        hashedPassword: { value: hash },
      },
    })),
    machineUsers: [
      { userId: id('robot'), user: { userId: id('robot'), userName: id('robot'), name: 'Robot' } },
    ],
    machineKeys: [
      {
        keyId: id('machine-key'),
        userId: id('robot'),
        type: 'KEY_TYPE_JSON',
        expirationDate: '2099-01-01T00:00:00Z',
        publicKey: 'cHVibGljIGtleQ==',
      },
    ],
    userMetadata: ids.map((userId) => ({ id: userId, key: 'legacy', value: 'b2xk' })),
    userLinks: [{ userId: ids[0], idpId: id('idp'), providedUserId: 'x-1', providedUserName: 'ada@login' }],
    projects: [{ projectId: id('project'), project: { name: 'Portal', projectRoleAssertion: true } }],
    projectRoles: [{ projectId: id('project'), roleKey: 'reader', displayName: 'Reader' }],
    oidcApps: [
      {
        appId: id('app'),
        app: {
          projectId: id('project'),
          name: 'Web',
          redirectUris: ['https://acme.example/cb'],
          responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
          grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
        },
      },
    ],
    apiApps: [{ appId: id('api'), app: { projectId: id('project'), name: 'Api' } }],
    actions: [
      { actionId: id('action'), action: { name: 'greet', script: 'function greet() {}', timeout: '10s' } },
    ],
    triggerActions: [{ flowType: '1', triggerType: '3', actionIds: [id('action')] }],
    userGrants: [{ userId: ids[0], projectId: id('project'), roleKeys: ['reader'] }],
    orgMembers: [{ userId: ids[0], roles: ['ORG_OWNER_VIEWER'] }],
    projectMembers: [{ projectId: id('project'), userId: ids[0], roles: ['PROJECT_OWNER_VIEWER'] }],
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
