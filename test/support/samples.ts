/** Real exports of ours, and those of others beside the project: tests that need these skip, visibly, where they are not. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHash } from '../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../src/records/hash-forms/decoders.ts';
import type { HashParts } from '../../src/records/hash-forms/row.ts';
import type { Secrets } from '../../src/records/hash-forms/verify-form.ts';
import type { Case } from './fixture-cases.ts';
import { fixture, root } from './folder.ts';

/** What real Keycloaks exported for this project. */
export const exportPath = (name: string) => fixture(`keycloak/exports/${name}`);

/** The path of a sample, or undefined where there are no samples. */
export function samplePath(name: string) {
  const path = `${root}../shared/samples/${name}`;
  return existsSync(path) ? path : undefined;
}

/** A hash that was checked against the target's own library with its default limits. */
export interface VerifiedHash {
  readonly note?: string;
  readonly file?: string;
  readonly realm?: string;
  readonly user?: string;
  readonly password: string;
  readonly mcf: string;
  /** True where the target takes it with every verifier on and default limits. */
  readonly targetValid: boolean;
  readonly targetError: string | null;
  /** True where the password matches. */
  readonly verifies: boolean;
}

const readRows = <Row>(path: string): Row[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));

export const verifiedHashes = (): VerifiedHash[] => readRows(fixture('hashes/target.jsonl'));

/** Of users in exports of others. Empty where there are no samples. */
export function verifiedUsers(): VerifiedHash[] {
  const path = samplePath('verified.jsonl');
  return path === undefined ? [] : readRows<VerifiedHash>(path).filter(({ user }) => user !== undefined);
}

/** A row of the verified files of hosted and self-hosted sources: what is stored, and what must become of it. */
export interface VerifiedForm {
  readonly title: string;
  /** What reads `parts`, which a mapping would give it. Where the operator has a secret, a mapping has to declare the hash. */
  readonly decoder?: string;
  readonly parts: HashParts;
  readonly password: string | null;
  readonly mcf: string | null;
  readonly refuse: boolean;
  /** What a conversion without knowledge of the source would write: the target takes it, and no password matches. */
  readonly naiveMcf?: string;
  /** False where this very password cannot log in although the hash is carried. */
  readonly expectVerifies?: boolean;
}

export function verifiedForms(): VerifiedForm[] {
  const rows = ['hosted', 'selfhosted'].flatMap((name) =>
    readRows<VerifiedForm>(fixture(`hashes/${name}.jsonl`)),
  );
  const parts = readRows<VerifiedForm>(fixture('verified-parts.jsonl'));
  return rows.map((row, at) => ({ ...row, ...asBytes(parts[at]!, ['secret']) }));
}

/** Those that a decoder reads, with what it makes of them. */
export const decodedForms = () =>
  verifiedForms().flatMap(({ decoder, ...row }) =>
    decoder === undefined ? [] : { ...row, decoder, decoded: decodeMade(decoder, row.parts) },
  );

export const decodeMade = (decoder: string, parts: HashParts) =>
  decodeHash(hashDecoders.get(decoder)!, parts);

/** A hash in a form that the verified rows do not have, of a known password. */
export interface MadeHash {
  readonly decoder: string;
  readonly form: string;
  readonly password: string;
  readonly parts: HashParts;
  /** Where no string of the target can be made: the reason. */
  readonly code?: string;
  /** What the operator keeps, to check the form. In the file, these and the secret of the parts are texts. */
  readonly secrets?: Secrets;
  /** The source does not say how the hash is checked. */
  readonly uncheckable?: true;
}

const asBytes = <Texts extends object>(texts: Texts, names = Object.keys(texts)) =>
  JSON.parse(JSON.stringify(texts), (name, value: unknown) =>
    names.includes(name) ? Buffer.from(String(value)) : value,
  ) as Texts;

export const madeHashes = () =>
  readRows<MadeHash>(fixture('made-hashes.jsonl')).map(({ parts, secrets = {}, ...row }) => ({
    ...row,
    parts: asBytes(parts, ['secret']),
    secrets: asBytes(secrets),
  }));

interface DeclaredHash {
  readonly mapping: string;
  readonly password: string;
  readonly row: object;
  readonly secret?: string;
  /** Why the target does not verify it. */
  readonly code?: string;
}

export const declaredHashes = (): DeclaredHash[] => readRows(fixture('declared-hashes.jsonl'));

export interface SourceFixture extends Case {
  /** Program and version that wrote these files; the mapping names it under `versions`. */
  readonly exportedBy?: string;
  /** Programs that hashed the passwords of a table of our own; the mapping names them under `versions`. */
  readonly hashedBy?: readonly string[];
  readonly users: readonly string[];
  /** Passwords by user name. */
  readonly logins: Readonly<Record<string, string>>;
}

export function folderOf(source: string) {
  return fixture(source);
}

export function readFixture(source: string) {
  return JSON.parse(readFileSync(join(folderOf(source), 'expected.json'), 'utf8')) as SourceFixture;
}
