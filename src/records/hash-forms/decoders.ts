/** The table of decoders of stored password hashes, by the names that mappings use. */
import { malformed, notGiven } from '../mcf/algorithm.ts';
import type { HashDecoder, HashRow } from './row.ts';
import * as applications from './rows/applications.ts';
import * as auth0 from './rows/auth0.ts';
import * as auto from './rows/auto.ts';
import * as directories from './rows/directories.ts';
import * as frameworks from './rows/frameworks.ts';
import * as hosted from './rows/hosted.ts';
import * as servers from './rows/servers.ts';
import { mcf } from './rows/strings.ts';

const only = (title: string, hash: RegExp): readonly HashRow[] => [
  { ...mcf, hash },
  { refuse: malformed(`it is not ${title}`) },
];

const table = {
  auto: {
    title: 'any form that says itself what it is',
    rows: auto.autoRows,
    converts: '`$…`, `{SCHEME}…`, `pbkdf2_sha256$…`, `AQAAAA…`',
    asksForAlterations: true,
  },
  mcf: {
    title: 'modular crypt format',
    rows: [mcf],
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), phpass, Drupal 7',
    asksForAlterations: true,
  },
  bcrypt: {
    title: 'bcrypt',
    rows: only('a bcrypt hash', /^(?:\$2|\$bcrypt\$)/),
    converts: '`$2a$`, `$2b$`, `$2y$`',
    asksForAlterations: true,
  },
  argon2: {
    title: 'Argon2',
    rows: only('an Argon2 hash', /^(?:\$argon2)/),
    converts: '`$argon2id$`, `$argon2i$` with parameters in any order',
    asksForAlterations: true,
  },
  phpass: {
    title: 'phpass',
    rows: only('a phpass hash', /^(?:\$P\$|\$H\$)/),
    converts: '`$P$`, `$H$`',
    asksForAlterations: true,
  },
  'sha-crypt': {
    title: 'crypt(3)',
    rows: only('a hash of crypt(3)', /^(?:\$1\$|\$5\$|\$6\$)/),
    converts: '`$1$`, `$5$`, `$6$`',
    asksForAlterations: true,
  },
  md5: {
    title: 'MD5 of the password',
    rows: hosted.md5Rows,
    converts: '32 hexadecimal digits, or base64 of 16 bytes',
  },
  'nt-hash': {
    title: 'NT hash of Samba, FreeIPA, Active Directory',
    rows: directories.ntHashRows,
    converts: '',
    refuses: 'MD4',
  },
  plain: { title: 'passwords in plain text', rows: [{ kdf: 'plain' }], converts: 'hashed here with bcrypt' },
  adonis: { title: 'AdonisJS', rows: [mcf], converts: 'scrypt, Argon2, bcrypt in the form of PHC' },
  appwrite: {
    title: 'Appwrite',
    rows: hosted.appwriteRows,
    converts: 'Argon2, bcrypt, phpass, MD5, scrypt',
    refuses: 'SHA, Firebase scrypt',
  },
  'aspnet-identity': {
    title: 'ASP.NET Identity, Duende, IdentityServer4',
    rows: frameworks.identityRows,
    converts: 'versions 2 and 3; bcrypt of other hashers',
    refuses: 'hashes that were taken over from ASP.NET Membership',
  },
  'aspnet-membership': {
    title: 'ASP.NET Membership',
    rows: frameworks.membershipRows,
    converts: 'plain text',
    refuses: 'SHA-1 and HMAC over UTF-16, encrypted passwords',
  },
  auth0: {
    title: 'Auth0, `custom_password_hash` of its import',
    rows: auth0.auth0Rows,
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, MD5, `{MD5}`',
    refuses: 'SHA-1, SHA-256, SHA-512, MD4, HMAC, `{SSHA}`, passwords that are not hashed as UTF-8',
    object: malformed('custom_password_hash is not an object'),
  },
  authelia: {
    title: 'Authelia',
    rows: [mcf],
    converts: 'Argon2, scrypt, PBKDF2, bcrypt, crypt(3)',
    refuses: '`$bcrypt-sha256$`, argon2d, yescrypt',
  },
  authentik: {
    title: 'Authentik',
    rows: frameworks.djangoRows,
    converts: 'PBKDF2, Argon2, bcrypt, scrypt of Django',
    refuses: 'what Django refuses',
  },
  'better-auth': {
    title: 'Better Auth',
    rows: frameworks.betterAuthRows,
    converts: '`salt:key`, hash strings of other hashers',
  },
  casdoor: {
    title: 'Casdoor',
    rows: servers.casdoorRows,
    converts: 'bcrypt, Argon2, `pbkdf2-salt`, `pbkdf2-django`, plain text',
    refuses: '`salt`, `sha512-salt`, `md5-salt`',
  },
  clerk: {
    title: 'Clerk',
    rows: hosted.clerkRows,
    converts: 'bcrypt, Argon2, phpass, MD5, PBKDF2, scrypt of Werkzeug',
    refuses: 'peppered, prehashed, salted MD5 and SHA, Cognito, Firebase',
  },
  crowd: {
    title: 'Atlassian Crowd, Jira',
    rows: directories.crowdRows,
    converts: '`{PKCS5S2}`',
    refuses: '`{SSHA}`',
  },
  devise: {
    title: 'Devise, has_secure_password, Clearance',
    rows: frameworks.deviseRows,
    converts: 'bcrypt without a pepper',
    refuses: 'bcrypt with `config.pepper`',
    asksForAlterations: true,
  },
  discourse: { title: 'Discourse', rows: applications.discourseRows, converts: 'PBKDF2' },
  django: {
    title: 'Django',
    rows: frameworks.djangoRows,
    converts: 'PBKDF2, Argon2, bcrypt, scrypt, MD5',
    refuses: '`bcrypt_sha256$`, `sha1$`, `crypt$`',
  },
  drupal: {
    title: 'Drupal',
    rows: applications.drupalRows,
    converts: '`$S$`, bcrypt, Argon2, MD5',
    refuses: '`U$S$`, `U$H$`',
  },
  'fastapi-boilerplate': {
    title: 'FastAPI boilerplate',
    rows: frameworks.fastapiBoilerplateRows,
    converts: '',
    refuses: 'bcrypt over SHA-256',
  },
  firebase: { title: 'Firebase', rows: hosted.firebaseRows, converts: '', refuses: 'scrypt of Firebase' },
  'flask-security': {
    title: 'Flask-Security',
    rows: frameworks.flaskSecurityRows,
    converts: 'the forms of Django, plain text',
    refuses: 'Argon2, bcrypt, PBKDF2 and crypt(3) over an HMAC',
  },
  forgerock: {
    title: 'ForgeRock, Ping Advanced Identity Cloud, Oracle Identity Cloud',
    rows: directories.forgeRockRows,
    converts: '`{PBKDF2-HMAC-SHA256}`, `{PBKDF2-HMAC-SHA512}`',
    refuses: '`$crypto` objects, `{SSHA512}`',
  },
  fusionauth: {
    title: 'FusionAuth',
    rows: hosted.fusionAuthRows,
    converts: 'bcrypt, PBKDF2, `salted-md5` with factor 1',
    refuses: '`salted-sha256`, `salted-hmac-sha256`, `salted-md5` with other factors',
  },
  gitea: { title: 'Gitea, Forgejo', rows: servers.giteaRows, converts: 'PBKDF2, Argon2, scrypt, bcrypt' },
  gitlab: { title: 'GitLab', rows: [mcf], converts: 'bcrypt, PBKDF2' },
  jakarta: { title: 'Jakarta Security, Payara, WildFly', rows: frameworks.jakartaRows, converts: 'PBKDF2' },
  joomla: {
    title: 'Joomla',
    rows: applications.joomlaRows,
    converts: 'bcrypt, phpass, `digest:salt`',
    refuses: '`{SHA256}`',
  },
  kanidm: {
    title: 'Kanidm',
    rows: servers.kanidmRows,
    converts: 'Argon2, PBKDF2, crypt(3)',
    refuses: 'what is bound to a security chip',
    object: malformed('it is not an object with a kind of hash'),
  },
  kinde: {
    title: 'Kinde',
    rows: hosted.kindeRows,
    converts: 'bcrypt, crypt(3), phpass, MD5',
    refuses: 'SHA-256',
  },
  kratos: {
    title: 'Ory Kratos',
    rows: servers.kratosRows,
    converts: 'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), MD5',
    refuses: 'SHA-3 under the name of SHA-2, SHA-1, SHA-2, `{SSHA}`, Firebase scrypt',
  },
  ldap: {
    title: 'LDAP directories',
    rows: directories.userPasswordRows,
    converts: '`{CRYPT}`, `{ARGON2}`, `{BCRYPT}`, `{PBKDF2…}`, `{PKCS5S2}`, `{MD5}`, `{BSDMD5}`, plain text',
    refuses: '`{SSHA}`, `{SHA}`, `{SSHA256}`, `{SSHA512}`, `{SMD5}` with a binary salt',
  },
  logto: {
    title: 'Logto',
    rows: servers.logtoRows,
    converts: 'Argon2, bcrypt, MD5, `Legacy` PBKDF2 and MD5',
    refuses: 'SHA-1, SHA-256, argon2d',
  },
  lucia: { title: 'Lucia', rows: frameworks.betterAuthRows, converts: '`salt:key`, `s2:salt:key`' },
  magento: {
    title: 'Magento',
    rows: applications.magentoRows,
    converts: 'MD5, Argon2',
    refuses: 'SHA-256, hashes of hashes',
  },
  mediawiki: {
    title: 'MediaWiki',
    rows: applications.mediawikiRows,
    converts: '`:pbkdf2:`, `:argon2:`, `:bcrypt:`, `:A:`',
    refuses: '`:B:`, legacy layers, `:encrypted:`',
  },
  meteor: {
    title: 'Meteor, Rocket.Chat',
    rows: frameworks.meteorRows,
    converts: '',
    refuses: 'bcrypt and Argon2 over SHA-256',
  },
  moodle: {
    title: 'Moodle',
    rows: applications.moodleRows,
    converts: '`$6$`, bcrypt; MD5 with the salt of the site',
    refuses: 'hashes with `passwordpeppers`',
  },
  mybb: {
    title: 'MyBB, Invision Power Board',
    rows: applications.mybbRows,
    converts: 'bcrypt',
    refuses: 'MD5 of two MD5s',
  },
  nextcloud: {
    title: 'Nextcloud',
    rows: applications.nextcloudRows,
    converts: '`1|`, `2|`, `3|`',
    refuses: 'bcrypt and SHA-1 of ownCloud',
  },
  odoo: { title: 'Odoo', rows: [mcf], converts: 'PBKDF2' },
  okta: {
    title: 'Okta, the import form',
    rows: hosted.oktaRows,
    converts: 'bcrypt, PBKDF2, MD5',
    refuses: 'SHA-1, SHA-256, SHA-512',
    object: notGiven('Okta gives no hashes out'),
  },
  'passport-local-mongoose': {
    title: 'passport-local-mongoose',
    rows: frameworks.passportLocalRows,
    converts: 'PBKDF2',
  },
  payload: { title: 'Payload', rows: frameworks.payloadRows, converts: 'PBKDF2' },
  phpbb: {
    title: 'phpBB',
    rows: applications.phpbbRows,
    converts: 'bcrypt, Argon2, phpass',
    refuses: 'hashes of other forums',
  },
  prestashop: {
    title: 'PrestaShop',
    rows: applications.prestashopRows,
    converts: 'bcrypt; MD5 with the key of the shop',
    refuses: 'MD5 without that key',
  },
  shadow: {
    title: '/etc/shadow, htpasswd',
    rows: directories.shadowRows,
    converts: 'bcrypt, `$1$`, `$5$`, `$6$`',
    refuses: 'yescrypt, `$apr1$`, DES',
  },
  smf: {
    title: 'SMF',
    rows: applications.smfRows,
    converts: '',
    refuses: 'SHA-1 and bcrypt with the username',
  },
  spring: {
    title: 'Spring Security, JHipster, Grails',
    rows: frameworks.springRows,
    converts: '`{bcrypt}`, `{argon2}`, `{pbkdf2}`, `{scrypt}`, `{MD5}`, `{noop}`',
    refuses: '`{SHA-1}`, `{SHA-256}`, `{sha256}`, `{MD4}`, `{ldap}{SSHA}`',
  },
  stytch: { title: 'Stytch', rows: hosted.stytchRows, converts: 'scrypt' },
  supabase: {
    title: 'Supabase',
    rows: hosted.supabaseRows,
    converts: 'bcrypt, Argon2',
    refuses: 'Firebase scrypt, encrypted columns',
  },
  supertokens: {
    title: 'SuperTokens',
    rows: hosted.supertokensRows,
    converts: 'bcrypt, Argon2',
    refuses: 'Firebase scrypt',
  },
  symfony: { title: 'Symfony', rows: frameworks.symfonyRows, converts: 'bcrypt, Argon2' },
  'symfony-legacy': {
    title: 'Symfony before 5, FOSUserBundle',
    rows: frameworks.symfonyLegacyRows,
    converts: 'PBKDF2',
    refuses: 'SHA-512 and others, thousands of times',
  },
  vbulletin: {
    title: 'vBulletin',
    rows: applications.vbulletinRows,
    converts: '',
    refuses: 'MD5 of an MD5, bcrypt and Argon2 over MD5',
  },
  werkzeug: {
    title: 'Werkzeug, Flask',
    rows: frameworks.werkzeugRows,
    converts: 'PBKDF2, scrypt',
    refuses: 'HMAC with MD5, SHA-1, SHA-2',
  },
  woltlab: { title: 'WoltLab', rows: applications.woltlabRows, converts: '', refuses: 'bcrypt of bcrypt' },
  wordpress: {
    title: 'WordPress',
    rows: applications.wordpressRows,
    converts: 'phpass, bcrypt, Argon2, MD5',
    refuses: '`$wp$2y$` of WordPress 6.8 and later',
  },
  wso2: {
    title: 'WSO2 Identity Server',
    rows: servers.wso2Rows,
    converts: 'PBKDF2',
    refuses: 'SHA-256 with a salt, the default',
  },
  xenforo: { title: 'XenForo', rows: applications.xenforoRows, converts: 'bcrypt, phpass' },
} satisfies Record<string, HashDecoder>;

export const hashDecoders: ReadonlyMap<string, HashDecoder> = new Map(Object.entries(table));
