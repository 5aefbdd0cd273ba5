/** Which decoder reads a row of the verified files, and what a mapping would give it. */
import type { JsonObject } from '../../src/lib/json-value.ts';
import type { HashParts } from '../../src/records/hash-forms/row.ts';
import { toText } from '../../src/records/hash-forms/encodings.ts';
import { asTyped, decodeHash, decodeRow as decodeByRow } from '../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../src/records/hash-forms/decoders.ts';
import type { VerifiedForm } from './samples.ts';

/** Names of sources in the rows that are not names of decoders. */
const decoderOf = new Map([
  ['atlassian-crowd', 'crowd'],
  ['laravel/symfony/php', 'mcf'],
  ['fastapi-users', 'mcf'],
  ['bcryptjs', 'bcrypt'],
  ['payload/passport-local-mongoose', 'payload'],
  ['adonisjs', 'adonis'],
  ['dex', 'bcrypt'],
  ['gitea/forgejo', 'gitea'],
  ['jakarta-security', 'jakarta'],
  ['ory-kratos', 'kratos'],
  ['unix-shadow', 'shadow'],
  ['oracle-idcs', 'forgerock'],
]);

export function nameOfRow({ provider, source, scheme, form }: VerifiedForm) {
  return `${provider ?? toText(source)} ${scheme ?? form}`;
}

/** Undefined where the row is declared rather than read by a decoder. */
export function partsOf(row: VerifiedForm): { name: string; parts: HashParts } | undefined {
  const form = row.form ?? '';
  if (row.source === 'spring' && form.startsWith('Pbkdf2PasswordEncoder')) return undefined;
  const parts = row.provider === undefined ? selfHosted(row) : hosted(row);
  return { name: chooseDecoder(row.provider ?? toText(row.source), form), parts };
}

export function decodeRow(row: VerifiedForm) {
  const { name, parts } = partsOf(row) ?? {};
  if (name === undefined || parts === undefined) return decodeSpringSecret(row);
  const decoded = decodeBy(name, parts);
  const form = row.form ?? '';
  const peppered = form.includes('config.pepper') || form.includes('passwordpeppers');
  return peppered ? asTyped(withPepper, decoded, {}) : decoded;
}

const withPepper = {
  typed: 'password + secret',
  secret: 'pepper',
  refuse: { code: 'password:peppered', detail: 'a secret was added' },
} as const;

function chooseDecoder(name: string, form: string) {
  if (form.startsWith('sambaNTPassword')) return 'nt-hash';
  if (name === 'symfony' && form.includes('legacy')) return 'symfony-legacy';
  return decoderOf.get(name) ?? name;
}

function decodeBy(name: string, parts: HashParts) {
  const decoder = hashDecoders.get(name);
  if (decoder === undefined) throw new Error(`there is no decoder ${name}`);
  return decodeHash(decoder, parts);
}

function selfHosted({ source, form = '', hash = '', salt, algorithm, params }: VerifiedForm): HashParts {
  const cookieKey = params?.['cookieKey'];
  return {
    hash,
    ...(salt === undefined ? {} : { salt }),
    ...algorithmOf(toText(source), form, algorithm),
    ...roundsOf(toText(source), form),
    ...(typeof cookieKey === 'string' ? { secret: Buffer.from(cookieKey) } : {}),
  };
}

function algorithmOf(source: string, form: string, algorithm: string | undefined): { algorithm?: string } {
  if (algorithm !== undefined) return { algorithm };
  const [word = ''] = form.split(' ');
  if (['casdoor', 'logto', 'wso2', 'gitea/forgejo'].includes(source)) return { algorithm: word };
  if (source === 'symfony' && form.includes('MessageDigest')) return { algorithm: 'sha512' };
  return {};
}

function roundsOf(source: string, form: string): Pick<HashParts, 'rounds' | 'options'> {
  if (source !== 'wso2') return {};
  const [, digest = '', rounds = ''] = /PBKDF2 (sha\d+) (\d+)/.exec(form) ?? [];
  return { rounds, options: { digest } };
}

/** Which members of a hosted row are what. */
const hostedMembers: Readonly<Record<string, Partial<Record<keyof HashParts, string>>>> = {
  stytch: { hash: 'hash', salt: 'salt' },
  fusionauth: { hash: 'password', salt: 'salt', algorithm: 'encryptionScheme', rounds: 'factor' },
  supabase: { hash: 'encrypted_password' },
  firebase: { hash: 'passwordHash', salt: 'salt' },
  clerk: { hash: 'password_digest', algorithm: 'password_hasher' },
  appwrite: { hash: 'password', algorithm: 'hash' },
  logto: { hash: 'passwordDigest', algorithm: 'passwordAlgorithm' },
  okta: { hash: '' },
};

function hosted({ provider = '', source }: VerifiedForm): HashParts {
  const fields = source as Readonly<Record<string, unknown>>;
  const members = Object.entries(hostedMembers[provider] ?? { hash: 'password' });
  const parts = Object.fromEntries(members.map(([part, name]) => [part, toText(fields[name])]));
  const options = provider === 'appwrite' ? (fields['hashOptions'] ?? {}) : fields;
  const hasOptions = ['stytch', 'firebase', 'appwrite', 'okta'].includes(provider);
  return { hash: '', ...parts, ...(hasOptions && { options: options as JsonObject }) };
}

/** An encoder with a secret of its own has to be declared. */
function decodeSpringSecret({ hash = '', params, form = '' }: VerifiedForm) {
  const secret = Buffer.from(toText(params?.['secret']));
  if (form.includes('UNKNOWN') || secret.length === 0) return decodeBy('spring', { hash });
  return decodeByRow(
    {
      kdf: 'pbkdf2',
      set: { digest: 'sha512', rounds: '20000' },
      layout: [
        ['salt', 16],
        ['key', 'rest'],
      ],
      salted: 'salt + secret',
    },
    { hash, secret },
  )!;
}
