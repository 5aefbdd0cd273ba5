/** `idport password verify`: checks a password against the hash of a user in a body. */
import type { Readable } from 'node:stream';
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import { type FoundUser, findUserByName } from '../flows/source/find-hash.ts';
import { isProblem } from '../records/mcf/algorithm.ts';
import { recognise } from '../records/mcf/recognise.ts';
import { verifyPassword } from '../records/mcf/verify.ts';
import { openInput } from '../storage/open-input.ts';
import { print } from '../storage/stream-sink.ts';
import { printable } from '../terminal/text.ts';
import type { Action, CommandContext } from './context.ts';

export interface VerifyOptions {
  readonly body: string;
  /** A user name or an id. */
  readonly user: string;
  /** Only `-`, standard input. */
  readonly password?: string;
  readonly format: 'text' | 'json';
}

/** What is printed; no secret is in it. */
interface Proof {
  readonly user: string;
  readonly userId: string;
  readonly matches: boolean;
  readonly family?: string;
  readonly parameters?: Readonly<Record<string, number>>;
  /** Why no password can match. */
  readonly problem?: string;
}

/** Exit code 0 where the password matches, 4 where it does not or no password can. */
export const verifyPasswordOf: Action<VerifyOptions> = async (options, context) => {
  const ask = choosePasswordSource(options, context);
  const body = openInput(options.body, context);
  const user = await findUserByName(body, options.user, context.signal);
  if (user === undefined) {
    throw new IdportError('user:not-found', `${options.body}: there is no user ${options.user}`, {
      hint: 'Give the user name or the id as in the body; users that were left out are in the report.',
    });
  }
  const password = await ask();
  if (password === '') throw new UsageError('the password is empty');
  const proof = await prove(user, password);
  const line = options.format === 'json' ? JSON.stringify(proof) : printable(describe(proof));
  await print(context.stdout, `${line}\n`);
  if (proof.matches) warnOfLength(password, context);
  return proof.matches ? ExitCode.done : ExitCode.differs;
};

async function prove({ userName, userId, hash }: FoundUser, password: string): Promise<Proof> {
  const user = { user: userName, userId };
  if (hash === '') return { ...user, matches: false, problem: 'the body has no password hash for this user' };
  const found = recognise(hash);
  if (isProblem(found)) return { ...user, matches: false, problem: found.detail };
  const { algorithm: family, parameters } = found;
  return { ...user, matches: await verify(found.mcf, password), family, parameters };
}

async function verify(mcf: string, password: string): Promise<boolean> {
  try {
    return (await verifyPassword(mcf, password)) === true;
  } catch (cause) {
    throw new IdportError('password:not-checked', 'this hash cannot be checked on this machine', {
      hint: 'It may need more memory than this machine has, or its salt may be too short for the library.',
      cause,
    });
  }
}

function describe({ user, userId, matches, family, parameters = {}, problem }: Proof): string {
  const who = userId === '' ? user : `${user} (${userId})`;
  const costs = Object.entries(parameters).map(([name, value]) => `, ${name} ${value}`);
  const how = family === undefined ? '' : ` (${family}${costs.join('')})`;
  if (problem !== undefined) return `${who}: no password can match: ${problem}`;
  return `${who}: the password ${matches ? 'matches' : 'does not match'}${how}`;
}

/** Targets rehash with bcrypt at the first login. It takes no more, and the login fails. */
const bcryptBytes = 72;

function warnOfLength(password: string, { emit }: CommandContext): void {
  if (Buffer.byteLength(password) <= bcryptBytes) return;
  emit({
    type: 'notice',
    level: 'warning',
    code: 'password:over-72-bytes',
    text: `The password is longer than ${bcryptBytes} bytes. A target that hashes with bcrypt cannot rehash it at the first login, and refuses the login: the user must set a new password.`,
  });
}

/** Refuses before the whole body is read. */
function choosePasswordSource(
  { body, password }: VerifyOptions,
  { askSecret, stdin }: CommandContext,
): () => Promise<string> {
  if (body === '-') {
    throw new UsageError('standard input is for the password, not for the body', {
      hint: 'Name the file of the body; it may be gzipped.',
    });
  }
  if (password !== undefined && password !== '-') {
    throw new UsageError('a password on the command line can be seen by others on this machine', {
      hint: 'Omit --password and type it, or pipe it in: printf %s "$PASSWORD" | idport password verify ...',
    });
  }
  if (password === undefined && askSecret !== undefined) return () => askSecret('Password: ');
  return () => readLine(stdin);
}

/** The first line, without its end. */
async function readLine(stdin: Readable): Promise<string> {
  const blocks: Buffer[] = [];
  for await (const block of stdin) {
    blocks.push(Buffer.from(block as Buffer | string));
    if (blocks.at(-1)?.includes(0x0a)) break;
  }
  return /^[^\r\n]*/.exec(Buffer.concat(blocks).toString('utf8'))?.[0] ?? '';
}
