/** The table of decoders of stored password hashes, by the names that mappings use. */
import * as applications from './applications.ts';
import { decodeAuth0 } from './auth0.ts';
import { decodeAuto } from './auto.ts';
import { decodeClerk } from './clerk.ts';
import { type Decoded, type HashParts, none } from './decoded.ts';
import { decoder, type HashDecoder, only, shared } from './decoder.ts';
import * as frameworks from './frameworks.ts';
import * as hosted from './hosted.ts';
import { decodeLdap } from './ldap.ts';
import * as servers from './servers.ts';
import { decodeSpring } from './spring.ts';

const table = {
  auto: shared(
    'any form that says itself what it is',
    '`$…`, `{SCHEME}…`, `pbkdf2_sha256$…`, `AQAAAA…`',
    decodeAuto,
  ),
  mcf: shared(
    'modular crypt format',
    'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), phpass, Drupal 7',
    frameworks.decodeMcf,
  ),
  bcrypt: shared('bcrypt', '`$2a$`, `$2b$`, `$2y$`', only('a bcrypt hash', '$2', '$bcrypt$')),
  argon2: shared(
    'Argon2',
    '`$argon2id$`, `$argon2i$` with parameters in any order',
    only('an Argon2 hash', '$argon2'),
  ),
  phpass: shared('phpass', '`$P$`, `$H$`', only('a phpass hash', '$P$', '$H$')),
  'sha-crypt': shared('crypt(3)', '`$1$`, `$5$`, `$6$`', only('a hash of crypt(3)', '$1$', '$5$', '$6$')),
  md5: decoder('MD5 of the password', frameworks.decodeMd5, '32 hexadecimal digits, or base64 of 16 bytes'),
  'nt-hash': decoder('NT hash of Samba, FreeIPA, Active Directory', frameworks.decodeNtHash, '', 'MD4'),
  plain: decoder('passwords in plain text', frameworks.decodePlain, 'hashed here with bcrypt'),

  adonis: decoder('AdonisJS', frameworks.decodeMcf, 'scrypt, Argon2, bcrypt in the form of PHC'),
  appwrite: decoder(
    'Appwrite',
    hosted.decodeAppwrite,
    'Argon2, bcrypt, phpass, MD5, scrypt',
    'SHA, Firebase scrypt',
    ['algorithm', 'options'],
  ),
  'aspnet-identity': decoder(
    'ASP.NET Identity, Duende, IdentityServer4',
    frameworks.decodeAspNet,
    'versions 2 and 3; bcrypt of other hashers',
    'hashes that were taken over from ASP.NET Membership',
  ),
  'aspnet-membership': decoder(
    'ASP.NET Membership',
    frameworks.decodeMembership,
    'plain text',
    'SHA-1 and HMAC over UTF-16, encrypted passwords',
    ['salt', 'algorithm'],
  ),
  auth0: decoder(
    'Auth0, `custom_password_hash` of its import',
    decodeAuth0,
    'bcrypt, Argon2, PBKDF2, scrypt, MD5, `{MD5}`',
    'SHA-1, SHA-256, SHA-512, MD4, HMAC, `{SSHA}`, passwords that are not hashed as UTF-8',
    ['options'],
  ),
  authelia: decoder(
    'Authelia',
    frameworks.decodeMcf,
    'Argon2, scrypt, PBKDF2, bcrypt, crypt(3)',
    '`$bcrypt-sha256$`, argon2d, yescrypt',
  ),
  authentik: decoder(
    'Authentik',
    frameworks.decodeDjango,
    'PBKDF2, Argon2, bcrypt, scrypt of Django',
    'what Django refuses',
  ),
  'better-auth': decoder(
    'Better Auth',
    frameworks.decodeBetterAuth,
    '`salt:key`, hash strings of other hashers',
  ),
  casdoor: decoder(
    'Casdoor',
    servers.decodeCasdoor,
    'bcrypt, Argon2, `pbkdf2-salt`, `pbkdf2-django`, plain text',
    '`salt`, `sha512-salt`, `md5-salt`',
    ['salt', 'algorithm'],
  ),
  clerk: decoder(
    'Clerk',
    decodeClerk,
    'bcrypt, Argon2, phpass, MD5, PBKDF2, scrypt of Werkzeug',
    'peppered, prehashed, salted MD5 and SHA, Cognito, Firebase',
    ['algorithm'],
  ),
  crowd: decoder('Atlassian Crowd, Jira', servers.decodeCrowd, '`{PKCS5S2}`', '`{SSHA}`'),
  devise: {
    ...shared('Devise, has_secure_password, Clearance', 'bcrypt without a pepper', frameworks.decodeDevise),
    refuses: 'bcrypt with `config.pepper`',
    parts: ['secret'],
  },
  discourse: decoder('Discourse', applications.decodeDiscourse, 'PBKDF2', '', ['salt', 'algorithm']),
  django: decoder(
    'Django',
    frameworks.decodeDjango,
    'PBKDF2, Argon2, bcrypt, scrypt, MD5',
    '`bcrypt_sha256$`, `sha1$`, `crypt$`',
  ),
  drupal: decoder('Drupal', applications.decodeDrupal, '`$S$`, bcrypt, Argon2, MD5', '`U$S$`, `U$H$`'),
  'fastapi-boilerplate': decoder(
    'FastAPI boilerplate',
    frameworks.decodeFastapiBoilerplate,
    '',
    'bcrypt over SHA-256',
  ),
  firebase: decoder('Firebase', hosted.decodeFirebase, '', 'scrypt of Firebase', [
    'salt',
    'options',
    'secret',
  ]),
  'flask-security': decoder(
    'Flask-Security',
    frameworks.decodeFlaskSecurity,
    'the forms of Django, plain text',
    'Argon2, bcrypt, PBKDF2 and crypt(3) over an HMAC',
    ['secret'],
  ),
  forgerock: decoder(
    'ForgeRock, Ping Advanced Identity Cloud, Oracle Identity Cloud',
    hosted.decodeForgeRock,
    '`{PBKDF2-HMAC-SHA256}`, `{PBKDF2-HMAC-SHA512}`',
    '`$crypto` objects, `{SSHA512}`',
  ),
  fusionauth: decoder(
    'FusionAuth',
    hosted.decodeFusionAuth,
    'bcrypt, PBKDF2, `salted-md5` with factor 1',
    '`salted-sha256`, `salted-hmac-sha256`, `salted-md5` with other factors',
    ['salt', 'algorithm', 'rounds'],
  ),
  gitea: decoder('Gitea, Forgejo', servers.decodeGitea, 'PBKDF2, Argon2, scrypt, bcrypt', '', [
    'salt',
    'algorithm',
  ]),
  gitlab: decoder('GitLab', frameworks.decodeMcf, 'bcrypt, PBKDF2'),
  jakarta: decoder('Jakarta Security, Payara, WildFly', frameworks.decodeJakarta, 'PBKDF2'),
  joomla: decoder('Joomla', applications.decodeJoomla, 'bcrypt, phpass, `digest:salt`', '`{SHA256}`'),
  kanidm: decoder(
    'Kanidm',
    servers.decodeKanidm,
    'Argon2, PBKDF2, crypt(3)',
    'what is bound to a security chip',
    ['options'],
  ),
  kinde: decoder('Kinde', hosted.decodeKinde, 'bcrypt, crypt(3), phpass, MD5', 'SHA-256', [
    'salt',
    'algorithm',
    'options',
  ]),
  kratos: decoder(
    'Ory Kratos',
    servers.decodeKratos,
    'bcrypt, Argon2, PBKDF2, scrypt, crypt(3), MD5',
    'SHA-3 under the name of SHA-2, SHA-1, SHA-2, `{SSHA}`, Firebase scrypt',
  ),
  ldap: decoder(
    'LDAP directories',
    decodeLdap,
    '`{CRYPT}`, `{ARGON2}`, `{BCRYPT}`, `{PBKDF2…}`, `{PKCS5S2}`, `{MD5}`, `{BSDMD5}`, plain text',
    '`{SSHA}`, `{SHA}`, `{SSHA256}`, `{SSHA512}`, `{SMD5}` with a binary salt',
  ),
  logto: decoder(
    'Logto',
    servers.decodeLogto,
    'Argon2, bcrypt, MD5, `Legacy` PBKDF2 and MD5',
    'SHA-1, SHA-256, argon2d',
    ['algorithm'],
  ),
  lucia: decoder('Lucia', frameworks.decodeBetterAuth, '`salt:key`, `s2:salt:key`'),
  magento: decoder('Magento', applications.decodeMagento, 'MD5, Argon2', 'SHA-256, hashes of hashes'),
  mediawiki: decoder(
    'MediaWiki',
    applications.decodeMediawiki,
    '`:pbkdf2:`, `:argon2:`, `:bcrypt:`, `:A:`',
    '`:B:`, legacy layers, `:encrypted:`',
  ),
  meteor: decoder('Meteor, Rocket.Chat', frameworks.decodeMeteor, '', 'bcrypt and Argon2 over SHA-256'),
  moodle: decoder(
    'Moodle',
    applications.decodeMoodle,
    '`$6$`, bcrypt; MD5 with the salt of the site',
    'hashes with `passwordpeppers`',
    ['secret'],
  ),
  mybb: decoder('MyBB, Invision Power Board', applications.decodeMybb, 'bcrypt', 'MD5 of two MD5s', ['salt']),
  nextcloud: decoder(
    'Nextcloud',
    applications.decodeNextcloud,
    '`1|`, `2|`, `3|`',
    'bcrypt and SHA-1 of ownCloud',
  ),
  odoo: decoder('Odoo', frameworks.decodeMcf, 'PBKDF2'),
  okta: decoder(
    'Okta, the import form',
    hosted.decodeOkta,
    'bcrypt, PBKDF2, MD5',
    'SHA-1, SHA-256, SHA-512',
    ['options'],
  ),
  'passport-local-mongoose': decoder(
    'passport-local-mongoose',
    frameworks.decodePassportLocal,
    'PBKDF2',
    '',
    ['salt', 'algorithm', 'rounds'],
  ),
  payload: decoder('Payload', frameworks.decodePayload, 'PBKDF2', '', ['salt']),
  phpbb: decoder('phpBB', applications.decodePhpbb, 'bcrypt, Argon2, phpass', 'hashes of other forums'),
  prestashop: decoder(
    'PrestaShop',
    applications.decodePrestashop,
    'bcrypt; MD5 with the key of the shop',
    'MD5 without that key',
    ['secret'],
  ),
  shadow: decoder(
    '/etc/shadow, htpasswd',
    servers.decodeShadow,
    'bcrypt, `$1$`, `$5$`, `$6$`',
    'yescrypt, `$apr1$`, DES',
  ),
  smf: decoder('SMF', applications.decodeSmf, '', 'SHA-1 and bcrypt with the username', ['salt']),
  spring: decoder(
    'Spring Security, JHipster, Grails',
    decodeSpring,
    '`{bcrypt}`, `{argon2}`, `{pbkdf2}`, `{scrypt}`, `{MD5}`, `{noop}`',
    '`{SHA-1}`, `{SHA-256}`, `{sha256}`, `{MD4}`, `{ldap}{SSHA}`',
    ['secret'],
  ),
  stytch: decoder('Stytch', hosted.decodeStytch, 'scrypt', '', ['salt', 'algorithm', 'options']),
  supabase: decoder(
    'Supabase',
    hosted.decodeSupabase,
    'bcrypt, Argon2',
    'Firebase scrypt, encrypted columns',
  ),
  supertokens: decoder('SuperTokens', hosted.decodeSupertokens, 'bcrypt, Argon2', 'Firebase scrypt', [
    'secret',
  ]),
  symfony: decoder('Symfony', frameworks.decodeSymfony, 'bcrypt, Argon2'),
  'symfony-legacy': decoder(
    'Symfony before 5, FOSUserBundle',
    frameworks.decodeSymfonyLegacy,
    'PBKDF2',
    'SHA-512 and others, thousands of times',
    ['salt', 'algorithm', 'rounds', 'options'],
  ),
  vbulletin: decoder(
    'vBulletin',
    applications.decodeVbulletin,
    '',
    'MD5 of an MD5, bcrypt and Argon2 over MD5',
    ['salt'],
  ),
  werkzeug: decoder(
    'Werkzeug, Flask',
    frameworks.decodeWerkzeug,
    'PBKDF2, scrypt',
    'HMAC with MD5, SHA-1, SHA-2',
  ),
  woltlab: decoder('WoltLab', applications.decodeWoltlab, '', 'bcrypt of bcrypt'),
  wordpress: decoder(
    'WordPress',
    applications.decodeWordPress,
    'phpass, bcrypt, Argon2, MD5',
    '`$wp$2y$` of WordPress 6.8 and later',
  ),
  wso2: decoder('WSO2 Identity Server', servers.decodeWso2, 'PBKDF2', 'SHA-256 with a salt, the default', [
    'salt',
    'algorithm',
    'rounds',
    'options',
  ]),
  xenforo: decoder('XenForo', applications.decodeXenforo, 'bcrypt, phpass'),
} as const satisfies Record<string, HashDecoder>;

export const hashDecoders: ReadonlyMap<string, HashDecoder> = new Map(Object.entries(table));

/** Reads what a source has stored. Pure, and never throws: whatever cannot be read is refused with a reason. */
export function decodeHash(decoder: HashDecoder, parts: HashParts): Decoded {
  // Okta and Kanidm keep the hash itself in the object.
  const isInOptions = parts.options !== undefined && decoder.parts.every((part) => part === 'options');
  if (parts.hash.trim() === '' && !isInOptions) return none('the field is empty');
  return decoder.decode(withoutEmpty(parts));
}

/** A column that has nothing for a user is as good as none: the source's default holds. */
function withoutEmpty(parts: HashParts): HashParts {
  const { salt, algorithm, rounds, ...others } = parts;
  if (salt !== '' && algorithm !== '' && rounds !== '') return parts;
  return {
    ...others,
    ...(salt ? { salt } : {}),
    ...(algorithm ? { algorithm } : {}),
    ...(rounds ? { rounds } : {}),
  };
}
