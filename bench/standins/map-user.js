// The mapping that both Node stand-ins do: the few fields that the tool of the service's own makers carries.
export function mapUser(user) {
  const password = user.credentials?.find(({ type }) => type === 'password');
  return {
    userId: user.id,
    user: {
      userName: user.username,
      profile: { firstName: user.firstName, lastName: user.lastName },
      email: { email: user.email, isEmailVerified: user.emailVerified },
      ...(password ? { hashedPassword: { value: mapPassword(password) } } : {}),
    },
  };
}

function mapPassword({ secretData, credentialData }) {
  const { value, salt } = JSON.parse(secretData);
  const { algorithm, hashIterations } = JSON.parse(credentialData);
  return `$${algorithm}$${hashIterations}$${salt}$${value}`;
}
