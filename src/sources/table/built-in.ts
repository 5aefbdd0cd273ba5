/** The built-in sources, for the help. */
/* oxlint-disable */
// Written by `npm run docs` from maps/*.yaml.
interface BuiltIn {
  readonly title: string;
  /** By any of these lists of keys its exports are recognised. */
  readonly marks: readonly (readonly string[])[];
}

export const builtIn = {
  '389ds': { title: '389 Directory Server', marks: [['dn', 'objectClass', 'nsUniqueId']] },
  'active-directory': { title: 'Active Directory', marks: [['dn', 'objectGUID', 'sAMAccountName']] },
  adonis: { title: 'AdonisJS', marks: [] },
  appwrite: {
    title: 'Appwrite',
    marks: [
      ['$id', 'emailVerification'],
      ['$id', 'hashOptions'],
      ['$id', 'registration'],
    ],
  },
  'aspnet-identity': {
    title: 'ASP.NET Identity',
    marks: [
      ['PasswordHash', 'SecurityStamp'],
      ['NormalizedUserName', 'EmailConfirmed'],
    ],
  },
  authelia: { title: 'Authelia', marks: [['users', 'displayname', 'password', 'groups']] },
  authentik: { title: 'Authentik', marks: [['username', 'password_change_date', 'attributes', 'path']] },
  authjs: { title: 'Auth.js', marks: [['userId', 'provider', 'providerAccountId']] },
  'better-auth': {
    title: 'Better Auth',
    marks: [
      ['emailVerified', 'banned', 'banExpires'],
      ['email_verified', 'banned', 'ban_expires'],
      ['providerId', 'accountId', 'userId', 'password'],
    ],
  },
  casdoor: {
    title: 'Casdoor',
    marks: [
      ['passwordType', 'isForbidden'],
      ['password_type', 'is_forbidden'],
      ['users.passwordType', 'organizations.passwordType'],
    ],
  },
  clerk: {
    title: 'Clerk',
    marks: [
      ['password_hasher', 'password_digest'],
      ['primary_email_address', 'first_name'],
      ['verified_email_addresses', 'unverified_email_addresses'],
      ['primary_email_address_id', 'email_addresses'],
    ],
  },
  cognito: {
    title: 'Amazon Cognito',
    marks: [
      ['Username', 'UserStatus'],
      ['Username', 'Attributes'],
      ['userPoolId', 'userStatus'],
      ['userPoolId', 'username'],
      ['cognito:username'],
    ],
  },
  descope: {
    title: 'Descope',
    marks: [
      ['loginIds', 'userId', 'verifiedEmail'],
      ['loginIds', 'userTenants'],
    ],
  },
  devise: {
    title: 'Devise (Rails)',
    marks: [
      ['encrypted_password', 'sign_in_count'],
      ['encrypted_password', 'reset_password_token'],
      ['encrypted_password', 'reset_password_sent_at'],
      ['encrypted_password', 'remember_created_at'],
    ],
  },
  discourse: {
    title: 'Discourse',
    marks: [
      ['password_hash', 'password_salt', 'password_algorithm'],
      ['username', 'suspended_till', 'staged'],
    ],
  },
  django: {
    title: 'Django',
    marks: [
      ['model', 'fields.password', 'fields.last_login'],
      ['is_staff', 'is_superuser', 'date_joined', 'password'],
    ],
  },
  drupal: {
    title: 'Drupal',
    marks: [
      ['uid', 'preferred_langcode', 'pass'],
      ['uid', 'pass', 'signature_format', 'mail'],
    ],
  },
  entra: {
    title: 'Microsoft Entra ID',
    marks: [
      ['userPrincipalName', 'accountEnabled'],
      ['userPrincipalName', 'identities.signInType'],
      ['UserPrincipalName', 'AccountEnabled'],
      ['identities.signInType', 'identities.issuerAssignedId'],
    ],
  },
  firebase: {
    title: 'Firebase',
    marks: [
      ['localId', 'email'],
      ['localId', 'providerUserInfo'],
      ['localId', 'passwordHash'],
      ['localId', 'createdAt'],
      ['uid', 'providerData', 'metadata'],
    ],
  },
  'flask-security': {
    title: 'Flask-Security',
    marks: [['fs_uniquifier'], ['tf_totp_secret', 'tf_primary_method']],
  },
  forgerock: {
    title: 'ForgeRock',
    marks: [['_id', '_rev', 'userName', 'givenName'], ['result._id', 'result._rev'], ['_embedded.users']],
  },
  freeipa: { title: 'FreeIPA', marks: [['dn', 'objectClass', 'uid', 'ipaUniqueID']] },
  frontegg: {
    title: 'Frontegg',
    marks: [['tenantIds'], ['mfaEnrolled', 'tenantId'], ['mfaEnrolled', 'verified'], ['tenants.tenantId']],
  },
  fusionauth: {
    title: 'FusionAuth',
    marks: [
      ['encryptionScheme'],
      ['encryption_scheme', 'factor'],
      ['uniqueUsername'],
      ['usernameStatus'],
      ['insertInstant', 'tenantId'],
      ['registrations.applicationId'],
    ],
  },
  gitea: {
    title: 'Gitea',
    marks: [
      ['lower_name', 'passwd', 'passwd_hash_algo'],
      ['lower_name', 'prohibit_login'],
    ],
  },
  gitlab: {
    title: 'GitLab',
    marks: [
      ['encrypted_password', 'projects_limit'],
      ['encrypted_password', 'user_type', 'username', 'state'],
    ],
  },
  'google-workspace': {
    title: 'Google Workspace',
    marks: [
      ['primaryEmail', 'suspended'],
      ['primaryEmail', 'name.givenName'],
      ['primaryEmail', 'orgUnitPath'],
    ],
  },
  joomla: { title: 'Joomla', marks: [['username', 'block', 'sendEmail', 'registerDate']] },
  kanidm: { title: 'Kanidm', marks: [['db_s_uuid', 'entries']] },
  kinde: {
    title: 'Kinde',
    marks: [
      ['password.hashing_algorithm'],
      ['hashing_algorithm', 'hashed_password'],
      ['is_suspended', 'preferred_email'],
      ['identities.type', 'identities.identity'],
    ],
  },
  kratos: {
    title: 'Ory Kratos',
    marks: [
      ['schema_id', 'traits'],
      ['traits', 'verifiable_addresses'],
      ['traits', 'credentials'],
    ],
  },
  laravel: { title: 'Laravel', marks: [['email_verified_at', 'remember_token', 'password']] },
  ldap: { title: 'LDAP directory', marks: [['dn', 'objectClass']] },
  logto: {
    title: 'Logto',
    marks: [
      ['primary_email', 'password_encryption_method'],
      ['primary_email', 'mfa_verifications'],
      ['primaryEmail', 'customData'],
      ['primaryEmail', 'isSuspended'],
    ],
  },
  lucia: { title: 'Lucia', marks: [] },
  magento: {
    title: 'Magento',
    marks: [
      ['entity_id', 'password_hash', 'confirmation'],
      ['entity_id', 'rp_token', 'password_hash'],
    ],
  },
  mediawiki: {
    title: 'MediaWiki',
    marks: [
      ['user_name', 'user_real_name', 'user_email_authenticated'],
      ['user_name', 'user_password', 'user_token'],
    ],
  },
  meteor: {
    title: 'Meteor',
    marks: [
      ['services.password.bcrypt'],
      ['services.password.argon2'],
      ['emails.address', 'services.resume'],
    ],
  },
  moodle: {
    title: 'Moodle',
    marks: [
      ['mnethostid', 'suspended'],
      ['auth', 'confirmed', 'policyagreed', 'suspended'],
    ],
  },
  nextcloud: {
    title: 'Nextcloud',
    marks: [
      ['uid', 'displayname', 'password'],
      ['uid', 'uid_lower', 'password'],
    ],
  },
  nhost: {
    title: 'Nhost',
    marks: [
      ['auth.users', 'password_hash', 'default_role'],
      ['password_hash', 'default_role', 'phone_number_verified'],
      ['totp_secret', 'active_mfa_type'],
    ],
  },
  odoo: {
    title: 'Odoo',
    marks: [
      ['login', 'password', 'share'],
      ['login', 'password', 'partner_id'],
    ],
  },
  okta: {
    title: 'Okta',
    marks: [
      ['profile.login', 'status'],
      ['profile.login', 'credentials'],
    ],
  },
  onelogin: {
    title: 'OneLogin',
    marks: [
      ['firstname', 'lastname', 'external_id', 'status'],
      ['invalid_login_attempts', 'activated_at'],
    ],
  },
  openldap: {
    title: 'OpenLDAP',
    marks: [
      ['dn', 'entryUUID', 'entryCSN'],
      ['dn', 'entryUUID', 'structuralObjectClass'],
    ],
  },
  parse: { title: 'Parse Server', marks: [['_hashed_password']] },
  payload: {
    title: 'Payload',
    marks: [
      ['hash', 'salt', 'loginAttempts'],
      ['hash', 'salt', 'login_attempts'],
    ],
  },
  phoenix: { title: 'Phoenix (phx.gen.auth)', marks: [['hashed_password', 'confirmed_at', 'inserted_at']] },
  phpbb: {
    title: 'phpBB',
    marks: [
      ['user_id', 'username_clean', 'user_password'],
      ['user_id', 'user_type', 'user_password', 'user_email'],
    ],
  },
  pocketbase: {
    title: 'PocketBase',
    marks: [
      ['emailVisibility', 'tokenKey'],
      ['tokenKey', 'passwordHash'],
    ],
  },
  propelauth: {
    title: 'PropelAuth',
    marks: [
      ['user_id', 'email_confirmed', 'can_create_orgs'],
      ['user_id', 'email_confirmed', 'has_password'],
      ['users.user_id', 'users.org_id_to_org_info'],
    ],
  },
  spring: { title: 'Spring Security', marks: [['login', 'password_hash', 'activated', 'lang_key']] },
  strapi: {
    title: 'Strapi',
    marks: [
      ['confirmed', 'blocked', 'confirmation_token'],
      ['username', 'provider', 'confirmed', 'blocked'],
    ],
  },
  stytch: {
    title: 'Stytch',
    marks: [
      ['user_id', 'emails.email_id'],
      ['user_id', 'trusted_metadata', 'untrusted_metadata'],
      ['phone_numbers.phone_id', 'webauthn_registrations'],
    ],
  },
  supabase: {
    title: 'Supabase',
    marks: [
      ['raw_app_meta_data'],
      ['raw_user_meta_data'],
      ['instance_id', 'encrypted_password'],
      ['auth.users', 'encrypted_password'],
      ['aud', 'role', 'app_metadata', 'user_metadata'],
    ],
  },
  supertokens: {
    title: 'SuperTokens',
    marks: [['app_id', 'user_id', 'password_hash'], ['loginMethods.recipeId']],
  },
  symfony: { title: 'Symfony and FOSUserBundle', marks: [['username_canonical', 'email_canonical']] },
  werkzeug: { title: 'Flask with Werkzeug', marks: [] },
  wordpress: {
    title: 'WordPress',
    marks: [
      ['user_login', 'user_pass'],
      ['user_login', 'user_nicename'],
    ],
  },
  workos: {
    title: 'WorkOS',
    marks: [
      ['object', 'email_verified', 'profile_picture_url'],
      ['data.object', 'data.email_verified', 'list_metadata'],
    ],
  },
  wso2: { title: 'WSO2 Identity Server', marks: [['UM_USER_NAME', 'UM_USER_PASSWORD']] },
} as const satisfies Readonly<Record<string, BuiltIn>>;
