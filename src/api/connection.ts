/** Opens connections to the service, with the proxies and certificates of the environment. */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { IdportError } from '../errors.ts';
import { type Emit, warning } from '../events.ts';
import { isLoopback } from '../lib/private-address.ts';
import { createSend, failureOf, NetworkFailure } from './send.ts';

interface ConnectOptions {
  readonly url: string;
  readonly env: Environment;
  /** Maximum number of connections. */
  readonly connections: number;
  readonly emit: Emit;
}

/** How long connecting to the service or a proxy may take, in milliseconds. */
const connectTimeout = 10_000;

export function connect({ url, env, connections, emit }: ConnectOptions) {
  warn(url, env, emit);
  const tls = { timeout: connectTimeout, ca: authorities(env) };
  // No pipelining: a lost connection would leave the outcome of several requests unknown.
  const agent = { connections, pipelining: 1, connect: tls };
  // Keeps a pool of connections per origin: the service, and the token endpoint if it has another origin.
  const dispatcher = createProxyAgent(url, env, agent, tls) ?? new Agent(agent);
  return { send: createSend(dispatcher), close: () => dispatcher.close() };
}

/** Node reads NODE_EXTRA_CA_CERTS itself unless a list is given. The list must therefore include those certificates. */
function authorities(env: Environment) {
  const own = env['SSL_CERT_FILE'];
  if (own === undefined || own === '') return undefined;
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...rootCertificates,
    ...(extra === '' ? [] : [readCertificates('NODE_EXTRA_CA_CERTS', extra)]),
    readCertificates('SSL_CERT_FILE', own),
  ];
}

function readCertificates(name: string, path: string) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new IdportError(
      'api:certificates',
      `${name} names a file that cannot be read: ${path}`,
      `Correct ${name}, or unset it.`,
      error,
    );
  }
}

function warn(url: string, env: Environment, emit: Emit) {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    emit(
      warning(
        'api:tls-not-verified',
        'NODE_TLS_REJECT_UNAUTHORIZED=0 switches the check of certificates off: anyone between here and the service can read the token and every password hash. Use NODE_EXTRA_CA_CERTS for an authority of your own.',
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

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns undefined if the environment names no proxy for `url`. Throws if the address of a proxy is invalid. */
export function createProxyAgent(
  url: string,
  env: Environment,
  agent: Agent.Options,
  tls: NonNullable<EnvHttpProxyAgent.Options['requestTls']> = {},
) {
  const noProxy = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if (isDirect(new URL(url), noProxy)) return undefined;
  const https = readProxy(env, 'HTTPS_PROXY');
  // A desktop that sets all of them often has a SOCKS proxy in the last.
  const http =
    readProxy(env, 'HTTP_PROXY') ?? (https === undefined ? readProxy(env, 'ALL_PROXY') : undefined);
  // Without HTTPS_PROXY, TLS goes through HTTP_PROXY.
  const used = url.startsWith('https:') ? (https ?? http) : http;
  if (http === undefined && https === undefined) return undefined;
  return new EnvHttpProxyAgent({
    ...agent,
    httpProxy: http?.address ?? '',
    httpsProxy: https?.address ?? '',
    noProxy,
    // With a tunnel, every failure before the service is reached comes from the proxy.
    proxyTunnel: true,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (origin, options) =>
      createPool(origin, { ...options, headersTimeout: connectTimeout }, used?.variable ?? ''),
  });
}

/** Reports whether `list` covers the host: `*`, its name or address, or a domain above it. */
function isDirect({ hostname }: URL, list: string) {
  const names = list.toLowerCase().match(/[^,\s]+/g) ?? [];
  const texts = [hostname, hostname.replaceAll(/[[\]]/g, '')];
  const isNamed = (name: string) =>
    name === '*' || texts.some((text) => `.${text}`.endsWith(`.${name.replace(/^\*?\./, '')}`));
  return names.some(isNamed);
}

/** `host:port` alone means HTTP without TLS, as in other programs. The value may contain a password, so no message shows it. */
function readProxy(env: Environment, name: string) {
  const variable = env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const value = env[variable] ?? '';
  if (value === '') return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  if (isProxyAddress(address)) return { address, variable };
  throw new IdportError(
    'api:proxy',
    `${variable} is not the address of an HTTP proxy`,
    `Write ${variable}=http://host:port, or unset it. Escape characters of a password, such as # as %23 and % as %25.`,
  );
}

/** Reports whether undici accepts the address: without a path, and with credentials that can be decoded. */
function isProxyAddress(address: string) {
  try {
    const { protocol, username, password, pathname, search, hash } = new URL(address);
    decodeURIComponent(`${username}:${password}`);
    return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/';
  } catch {
    return false;
  }
}

/** Creates connections to the proxy. If the proxy does not connect, nothing was sent to the service. */
function createPool(origin: URL, options: object, variable: string): Dispatcher {
  const pool = new Pool(origin, options);
  const name = `the proxy ${origin.origin} (${variable})`;
  const connect: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  return Object.assign(pool, {
    async connect(options: Dispatcher.ConnectOptions) {
      const data = await connect(options).catch((error: unknown) => {
        const failure = failureOf(error);
        if (failure === undefined) throw error;
        const stage = failure.stage === 'trust' ? 'trust' : 'connect';
        const text = `${name} does not connect: ${failure.message}`;
        throw new NetworkFailure(stage, `PROXY_${failure.code}`, text, error);
      });
      if (data.statusCode === 200) return data;
      data.socket.on('error', () => {}).destroy();
      throw new NetworkFailure(
        'connect',
        'PROXY',
        `${name} refuses to connect: ${data.statusCode}`,
        undefined,
      );
    },
  });
}
