/** Opens connections to the service as the environment asks for: proxies, certificates, and warnings about them. */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import { IdportError } from '../errors.ts';
import { type Emit, warning } from '../events.ts';
import { isLoopback } from '../lib/loopback.ts';
import { createProxyAgent, type Environment } from './proxy.ts';
import { createSend, type Send } from './send.ts';

export interface Connection {
  readonly send: Send;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  readonly env: Environment;
  /** How many connections at most. */
  readonly connections: number;
  readonly emit: Emit;
}

const connectTimeout = 10_000;

export function connect({ url, env, connections, emit }: ConnectOptions): Connection {
  warn(url, env, emit);
  const ca = authorities(env);
  const tls = { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) };
  // No pipelining: with a lost connection the outcome of every request on it would be unknown.
  const agent = { connections, pipelining: 1, connect: tls };
  // Keeps a pool of connections for each origin: that of the service, and that of the token endpoint if it is another.
  const dispatcher = createProxyAgent({ url, env, agent, tls, timeout: connectTimeout }) ?? new Agent(agent);
  return { send: createSend(dispatcher), close: () => dispatcher.close() };
}

/** Node reads NODE_EXTRA_CA_CERTS by itself unless a list is given, so then the list has all. */
function authorities(env: Environment): string[] | undefined {
  const own = env['SSL_CERT_FILE'];
  if (own === undefined || own === '') return undefined;
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...rootCertificates,
    ...(extra === '' ? [] : [readCertificates('NODE_EXTRA_CA_CERTS', extra)]),
    readCertificates('SSL_CERT_FILE', own),
  ];
}

function readCertificates(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new IdportError('api:certificates', `${name} names a file that cannot be read: ${path}`, {
      hint: `Correct ${name}, or unset it.`,
      cause: error,
    });
  }
}

function warn(url: string, env: Environment, emit: Emit): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    emit(
      warning(
        'api:tls-not-verified',
        'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of certificates off: anyone between here and the ' +
          'service can read the token and every password hash. Use NODE_EXTRA_CA_CERTS for an authority of your own.',
      ),
    );
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    emit(
      warning(
        'api:no-tls',
        'The address begins with http:// and is not this machine: token and password hashes are sent unencrypted.',
      ),
    );
  }
}
