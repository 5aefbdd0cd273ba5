/** A realm with everything beside users: organizations, roles with composites, groups, clients, identity providers. */

const password = {
  type: 'password',
  secretData: JSON.stringify({
    value: 'L7+o7lYUlVFUT9ob6HnzdXSerZhOgOwFmQKHXp+aR74=',
    salt: '1I43vBm5/ixykjww/XpBUg==',
  }),
  credentialData: JSON.stringify({ hashIterations: 27500, algorithm: 'pbkdf2-sha256' }),
};

function user(username: string, email: string, more: object = {}) {
  const id = `id-of-${username}`;
  return {
    id,
    username,
    email,
    emailVerified: true,
    enabled: true,
    firstName: 'A',
    lastName: 'B',
    credentials: [password],
    ...more,
  };
}

export const richRealm = {
  realm: 'harbour',
  enabled: true,
  roles: {
    realm: [
      {
        name: 'admin',
        description: 'May do everything',
        composite: true,
        composites: { realm: ['auditor'], client: { shop: ['owner'] } },
      },
      { name: 'auditor', composite: false },
      { name: 'default-roles-harbour', composite: true, composites: { realm: ['offline_access'] } },
    ],
    client: { shop: [{ name: 'owner' }, { name: 'viewer' }], account: [{ name: 'manage-account' }] },
  },
  groups: [
    {
      name: 'staff',
      path: '/staff',
      subGroups: [
        { name: 'dev', path: '/staff/dev', realmRoles: ['auditor'], clientRoles: { shop: ['viewer'] } },
      ],
    },
  ],
  users: [
    user('ada', 'ada@acme.example', {
      realmRoles: ['admin', 'default-roles-harbour'],
      groups: ['/staff/dev'],
    }),
    user('bob', 'bob@acme.example', {
      clientRoles: { shop: ['viewer'], account: ['manage-account'] },
      attributes: { tenant: ['acme'] },
    }),
    user('cleo', 'cleo@globex.example', {
      federatedIdentities: [{ identityProvider: 'google', userId: '1', userName: 'cleo' }],
    }),
    user('dan', 'DAN@acme.example'),
    user('dan2', 'dan@acme.example'),
  ],
  clients: [
    {
      clientId: 'shop',
      enabled: true,
      publicClient: false,
      secret: 's3cret-of-the-shop',
      redirectUris: ['https://shop.example/*'],
      protocol: 'openid-connect',
    },
    { clientId: 'app', enabled: false, publicClient: true, redirectUris: ['app://callback'] },
    { clientId: 'account', publicClient: true },
  ],
  identityProviders: [
    { alias: 'google', providerId: 'google', enabled: true, config: { clientSecret: 'secret-of-google' } },
    { alias: 'corporate', providerId: 'oidc', enabled: true },
  ],
  organizations: [
    {
      id: 'o1',
      name: 'Acme',
      alias: 'acme',
      enabled: true,
      domains: [{ name: 'acme.example', verified: true }],
      members: [{ username: 'ada', membershipType: 'UNMANAGED' }, { username: 'bob' }],
    },
    {
      id: 'o2',
      name: 'Globex',
      alias: 'globex',
      enabled: true,
      domains: [{ name: 'globex.example' }],
      members: [{ username: 'bob' }, { username: 'cleo' }],
    },
  ],
};
