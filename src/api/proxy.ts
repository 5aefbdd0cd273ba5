/** Sends requests through the proxy that the environment names, and says so when it is the proxy that fails. */
import { EnvHttpProxyAgent, Pool, type Agent, type Dispatcher } from 'undici';
import { IdportError } from '../errors.ts';
import { failureOf, NetworkFailure } from './network.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Proxy {
  readonly address: string;
  /** As it is set: in upper or in lower case. */
  readonly variable: string;
}

export interface ProxyOptions {
  readonly url: string;
  readonly env: Environment;
  readonly agent: Agent.Options;
  readonly tls: NonNullable<EnvHttpProxyAgent.Options['requestTls']>;
  /** How long the proxy may take to connect, in milliseconds. */
  readonly timeout: number;
}

/** Undefined if the environment names no proxy. Throws if its address is invalid. */
export function createProxyAgent({ url, env, agent, tls, timeout }: ProxyOptions): Dispatcher | undefined {
  const http = readProxy(env, 'HTTP_PROXY');
  const https = readProxy(env, 'HTTPS_PROXY');
  // Without a proxy of its own, TLS goes through the other one.
  const used = url.startsWith('https:') ? (https ?? http) : http;
  if (http === undefined && https === undefined) return undefined;
  return new EnvHttpProxyAgent({
    ...agent,
    httpProxy: http?.address ?? '',
    httpsProxy: https?.address ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
    // With a tunnel, a failure before the service was reached is always one of the proxy.
    proxyTunnel: true,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (origin, options) =>
      createPool(origin, { ...options, headersTimeout: timeout }, used?.variable ?? ''),
  });
}

/**
 * `host:port` alone is spoken to without TLS, as other programs do. The value may hold a password: it is not repeated.
 */
function readProxy(env: Environment, name: string): Proxy | undefined {
  const variable = env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const value = env[variable] ?? '';
  if (value === '') return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return { address, variable };
  throw new IdportError('api:proxy', `${variable} is not the address of an HTTP proxy`, {
    hint: `Write ${variable}=http://host:port, or unset it.`,
  });
}

/** Connections to the proxy. As long as none leads through it, nothing was sent to the service. */
function createPool(origin: URL, options: object, variable: string): Dispatcher {
  const pool = new Pool(origin, options);
  const name = `the proxy ${origin.origin} (${variable})`;
  const connect: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  return Object.assign(pool, {
    async connect(options: Dispatcher.ConnectOptions) {
      const data = await connect(options).catch((error: unknown) => {
        throw unreachable(name, error);
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

function unreachable(name: string, error: unknown): unknown {
  const failure = failureOf(error);
  if (failure === undefined) return error;
  const stage = failure.stage === 'trust' ? 'trust' : 'connect';
  return new NetworkFailure(
    stage,
    `PROXY_${failure.code}`,
    `${name} does not connect: ${failure.message}`,
    error,
  );
}
