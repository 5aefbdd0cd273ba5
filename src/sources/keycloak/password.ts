/** Converts a password credential to modular crypt format. */
import { memoized } from '../../lib/strings.ts';
import { encodeArgon2, encodePbkdf2, type Pbkdf2Digest, recodePbkdf2 } from '../../records/mcf/keyed.ts';
import { isProblem, type McfProblem, unsupported } from '../../records/mcf/algorithm.ts';
import { recognise } from '../../records/mcf/recognise.ts';
import { addNote, addPlain, type UserRecord } from '../../records/user.ts';
import { firstText, isText, type JsonObject, objectOf, readJsonCount } from '../../lib/json-value.ts';
import { type Credential, isSecretWithheld, readData } from './fields.ts';
import type { KeycloakOptions } from './options.ts';

/** Names of Keycloak's PBKDF2 providers. `pbkdf2` alone has always been SHA-1. */
const digests: ReadonlyMap<string, Pbkdf2Digest> = new Map([
  ['pbkdf2', 'sha1'],
  ['pbkdf2-sha256', 'sha256'],
  ['pbkdf2-sha512', 'sha512'],
]);

export function readPassword(draft: UserRecord, credential: Credential, options: KeycloakOptions) {
  if (credential.temporary === true) addNote(draft, 'password:temporary');
  if (isSecretWithheld(credential)) return addNote(draft, 'password:not-exported');
  const hashed = readHashed(credential);
  if (hashed === undefined) return readPlain(draft, credential, options);
  const mcf =
    hashed.parameters === undefined
      ? ({ code: 'password:malformed', detail: 'secretData or credentialData is not JSON' } as const)
      : encode(hashed, hashed.parameters, options);
  if (isProblem(mcf)) return addNote(draft, mcf.code, mcf.detail);
  if (typeof mcf === 'string') {
    draft.passwordHash = mcf;
    return;
  }
  draft.passwordHash = mcf.foreign;
  addNote(draft, 'password:peppered-or-prehashed', mcf.algorithm);
}

type HashParameters = ReturnType<typeof toParameters>;

/** Returns the hash of a credential, in the new shape if it has both, or undefined if it has no hash. */
function readHashed(credential: Credential) {
  if ((credential.secretData ?? '') !== '') {
    const secret = readData(credential, 'secretData');
    const { credentialData: data } = credential;
    return {
      value: firstText(objectOf(secret), 'value'),
      salt: firstText(objectOf(secret), 'salt'),
      // Undefined if `secretData` or `credentialData` cannot be read.
      parameters: secret && readParameters(isText(data) ? data : JSON.stringify(data ?? null)),
    };
  }
  const legacy = credential.hashedSaltedValue;
  if (typeof legacy !== 'string') return undefined;
  // Keycloak 1.x wrote no algorithm, because it only had one.
  const parameters = toParameters(
    firstText(credential, 'algorithm') || 'pbkdf2',
    credential.hashIterations,
    {},
  );
  return { value: legacy, salt: firstText(credential, 'salt'), parameters };
}

const readParameters = memoized((credentialData) => {
  const data = readData({ credentialData }, 'credentialData');
  if (data === undefined) return undefined;
  const additional = data['additionalParameters'] ?? data['algorithmData'];
  return toParameters(firstText(data, 'algorithm'), data['hashIterations'], objectOf(additional));
});

function toParameters(algorithm: string, iterations: unknown, additional: JsonObject) {
  const digest = digests.get(algorithm.toLowerCase());
  return { algorithm, digest, iterations: readJsonCount(iterations), additional };
}

/**
 * A complete modular crypt string from a community provider. It is only right if the provider did not alter the
 * password.
 */
interface Foreign {
  readonly foreign: string;
  readonly algorithm: string;
}

function encode(
  { value, salt }: { readonly value: string; readonly salt: string },
  { algorithm, digest, iterations, additional }: HashParameters,
  options: KeycloakOptions,
): string | Foreign | McfProblem {
  if (digest !== undefined) {
    const mcf = encodePbkdf2({ digest, rounds: iterations, salt, key: value });
    return typeof mcf === 'string' ? recodePbkdf2(mcf, options.pbkdf2Encoding) : mcf;
  }
  if (value.startsWith('$')) {
    const whole = recognise(value);
    return isProblem(whole) ? whole : { foreign: whole.mcf, algorithm };
  }
  if (algorithm.toLowerCase() === 'argon2') {
    return encodeArgon2({
      variant: parameter(additional, 'type') || 'id',
      version: argon2Versions.get(parameter(additional, 'version') || '1.3') ?? 0,
      memory: readJsonCount(parameter(additional, 'memory')),
      time: iterations,
      threads: readJsonCount(parameter(additional, 'parallelism')),
      salt,
      key: value,
    });
  }
  return unsupported(algorithm === '' ? 'no algorithm is named' : `algorithm ${algorithm.slice(0, 60)}`);
}

const argon2Versions = new Map([
  ['1.0', 16],
  ['1.3', 19],
]);

/** Returns an additional parameter. Keycloak writes each one as a list of one text. */
function parameter(additional: JsonObject, name: string) {
  const value = additional[name];
  const single: unknown = Array.isArray(value) ? value[0] : value;
  return isText(single) || typeof single === 'number' ? String(single) : '';
}

function readPlain(draft: UserRecord, credential: Credential, options: KeycloakOptions) {
  const value = firstText(credential, 'value');
  if (value === '')
    return addNote(draft, 'password:malformed', 'the credential holds neither a hash nor a password');
  addPlain(draft, value, options.plaintext);
}
