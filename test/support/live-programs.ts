/** Running systems to read: PostgreSQL, MariaDB, MySQL, OpenLDAP and Keycloak. `scripts/live-programs.sh` installs them. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { until } from './clock.ts';
import { isInstalled, launchLocalProgram, type LocalProgram } from './local-program.ts';

/** A database, empty but for what its own programs put there. */
export type LiveDatabase = Awaited<ReturnType<typeof startPostgres>>;

const isRoot = userInfo().uid === 0;
const run = (command: string, args: readonly string[], input?: string) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 30,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'idport-live-'));
  chmodSync(path, 0o777);
  return path;
};

async function stop(program: LocalProgram, home: string) {
  await program.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The key is for its owner alone, or PostgreSQL refuses it. */
export function writeCertificate(home: string, address?: string) {
  const [certificate, key] = [join(home, 'tls.crt'), join(home, 'tls.key')];
  const made = selfSigned(address);
  writeFileSync(certificate, made.cert);
  writeFileSync(key, made.key, { mode: 0o600 });
  return { certificate, key };
}

const versions = '/usr/lib/postgresql';
const newest = existsSync(versions)
  ? readdirSync(versions)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1)
  : undefined;
/** Undefined where it is not installed. */
const pgBin = newest === undefined ? undefined : join(versions, newest, 'bin');

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'idport');
const mysqld = join(cache, 'mysql-8.0.15', 'bin', 'mysqld');

export const has = {
  postgres: pgBin !== undefined,
  mariadb: isInstalled('mariadbd', '--version'),
  mysql: isInstalled(mysqld, '--version') && isInstalled('mariadb', '--version'),
  slapd: isInstalled('slapd', '-VV') && isInstalled('ldapadd', '-VV'),
  keycloak: (db: string) => existsSync(join(keycloakHome(db), 'built')),
};

/** 26.7.3 unless another one is asked for. */
const keycloakVersion = process.env['IDPORT_KEYCLOAK'] ?? '26.7.3';

export const keycloakMajor = Number.parseInt(keycloakVersion, 10);

const keycloakHome = (db: string) => join(cache, `keycloak-${keycloakVersion}-${db}`);

export async function startPostgres() {
  const home = folder();
  // It refuses to run as root.
  const [command, ...as] = isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
    : ['env'];
  const data = join(home, 'data');
  const initdb = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ];
  run(command, [...as, join(pgBin ?? '', 'initdb'), ...initdb]);
  const { certificate, key } = writeCertificate(home);
  if (isRoot) run('chown', ['postgres', key]);
  const server = (port: number) => [
    ...as,
    join(pgBin ?? '', 'postgres'),
    `--port=${port}`,
    '--listen_addresses=127.0.0.1',
    '--fsync=off',
    '--ssl=on',
    `--ssl_cert_file=${certificate}`,
    `--ssl_key_file=${key}`,
    `--unix_socket_directories=${home}`,
    `--data_directory=${data}`,
    '-D',
    data,
  ];
  const program = await launchLocalProgram(command, server, /ready to accept connections/);
  const { port } = program;
  const at = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  run('psql', [...at, '-c', 'create database app']);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/app`,
    port,
    /** A file with the certificate that it shows to those who ask for TLS. */
    certificate,
    /** Runs statements; what they print. */
    sql: (statements: string) => run('psql', [...at, '-qAt', '-v', 'ON_ERROR_STOP=1', 'app'], statements),
    dump: (...tables: readonly string[]) =>
      run('pg_dump', [...at, ...tables.flatMap((table) => ['-t', table]), 'app']),
    stop: () => stop(program, home),
  };
}

const startMariadb = () =>
  startLikeMysql('mariadbd', ([user, data]) => {
    const login = '--auth-root-authentication-method=normal';
    run('mariadb-install-db', ['--no-defaults', user, data, login]);
  });

const startMysql = () =>
  startLikeMysql(mysqld, (where) => {
    run(mysqld, ['--no-defaults', '--initialize-insecure', ...where]);
  });

/** `make` writes the files of a database without users. Both are asked by MariaDB's client. */
async function startLikeMysql(
  command: string,
  make: (where: readonly [user: string, data: string]) => void,
): Promise<LiveDatabase> {
  const home = folder();
  const where = [`--user=${userInfo().username}`, `--datadir=${join(home, 'data')}`] as const;
  make(where);
  const { certificate, key } = writeCertificate(home);
  const socket = join(home, 'socket');
  const server = (port: number) => [
    '--no-defaults',
    ...where,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${socket}`,
    `--pid-file=${join(home, 'pid')}`,
    '--innodb-flush-log-at-trx-commit=0',
    `--ssl-cert=${certificate}`,
    `--ssl-key=${key}`,
  ];
  const program = await launchLocalProgram(command, server, /ready for connections/);
  const { port } = program;
  const at = ['--no-defaults', `--socket=${socket}`, '-u', 'root', '--default-character-set=utf8mb4'];
  const create = `create database app character set utf8mb4 collate utf8mb4_unicode_ci;
    create user app@127.0.0.1; grant all on *.* to app@127.0.0.1;
    create user kc@127.0.0.1 identified by 'x'; grant all on app.* to kc@127.0.0.1;`;
  run('mariadb', at, create);
  return {
    url: `mysql://app@127.0.0.1:${port}/app`,
    port,
    certificate,
    sql: (statements) => run('mariadb', [...at, '-NrB', 'app'], statements),
    dump: (...tables) => run('mysqldump', [...at, '--hex-blob', 'app', ...tables]),
    stop: () => stop(program, home),
  };
}

export const databases = [
  { title: 'PostgreSQL', db: 'postgres', start: startPostgres, isThere: has.postgres },
  { title: 'MariaDB', db: 'mariadb', start: startMariadb, isThere: has.mariadb },
  { title: 'MySQL', db: 'mysql', start: startMysql, isThere: has.mysql },
] as const;

/** OpenLDAP with these entries below dc=example,dc=org; its administrator has the password `admin`. */
export async function startSlapd(entries: string, host = '127.0.0.1') {
  const home = folder();
  const { certificate, key } = writeCertificate(home, host);
  mkdirSync(join(home, 'data'));
  const conf = join(home, 'slapd.conf');
  const settings = [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    `TLSCertificateFile ${certificate}`,
    `TLSCertificateKeyFile ${key}`,
    'modulepath /usr/lib/ldap',
    ...['back_mdb', 'ppolicy', 'memberof'].map((name) => `moduleload ${name}`),
    'database mdb',
    'suffix "dc=example,dc=org"',
    'rootdn "cn=admin,dc=example,dc=org"',
    'rootpw admin',
    `directory ${join(home, 'data')}`,
    'dbnosync',
    'overlay memberof',
    'overlay ppolicy',
    '',
  ];
  writeFileSync(conf, settings.join('\n'));
  run('slapadd', ['-f', conf], entries);
  const args = (port: number) => ['-d', '256', '-h', `ldap://${host}:${port}`, '-f', conf];
  const program = await launchLocalProgram('slapd', args, /slapd starting/);
  // It writes this before it listens.
  await until(() => listens(program.port, host));
  return {
    port: program.port,
    certificate,
    /** What slapcat writes. */
    ldif: run('slapcat', ['-f', conf]),
    stop: () => stop(program, home),
  };
}

async function listens(port: number, host: string) {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export type LiveKeycloak = Awaited<ReturnType<typeof startKeycloak>>;

/** With the realm of this file. */
export async function startKeycloak(db: (typeof databases)[number]['db'], port: number, realm: string) {
  const home = folder();
  // All but its data and the script, which takes the folder above its own for its home.
  const installed = keycloakHome(db);
  for (const name of ['conf', 'lib', 'providers', 'themes'])
    symlinkSync(join(installed, name), join(home, name));
  mkdirSync(join(home, 'bin'));
  cpSync(join(installed, 'bin', 'kc.sh'), join(home, 'bin', 'kc.sh'));
  mkdirSync(join(home, 'data', 'import'), { recursive: true });
  writeFileSync(join(home, 'data', 'import', 'realm.json'), realm);
  const kind = db === 'postgres' ? 'postgresql' : db;
  // Its script starts Java in the background: that must end with the script.
  const java = join(home, 'java');
  writeFileSync(java, '#!/bin/sh\nexec setpriv --pdeathsig KILL java "$@"\n', { mode: 0o755 });
  const script = [
    `JAVA=${java}`,
    `KC_DB=${db}`,
    `KC_DB_URL=jdbc:${kind}://127.0.0.1:${port}/app`,
    `KC_DB_USERNAME=${db === 'postgres' ? 'postgres' : 'kc'}`,
    'KC_DB_PASSWORD=x',
    'KC_CACHE=local',
    // Its programs run for half a minute: what the second compiler brings would come too late.
    'JAVA_OPTS_APPEND=-XX:TieredStopAtLevel=1',
    'bash',
    join(home, 'bin', 'kc.sh'),
  ];
  // Older ones have no such flag, for one of their commands or both.
  const optimized = (from: number) => (keycloakMajor < from ? [] : ['--optimized']);
  const start = (free: number) => [
    ...script,
    'start',
    ...optimized(20),
    '--import-realm',
    '--http-enabled=true',
    '--hostname-strict=false',
    '--http-host=127.0.0.1',
    `--http-port=${free}`,
  ];
  const program = await launchLocalProgram('env', start, /Listening on:/);
  return {
    url: `http://127.0.0.1:${program.port}`,
    /** What `kc.sh export` writes of a realm, with the server running. */
    exportRealm(name: string) {
      const file = join(home, `${name}.json`);
      // Ports of its own beside the server.
      const ports = ['KC_HTTP_PORT=0', 'KC_HTTP_MANAGEMENT_PORT=0'];
      run('env', [...ports, ...script, 'export', ...optimized(25), '--realm', name, '--file', file]);
      return file;
    },
    stop: () => stop(program, home),
  };
}
