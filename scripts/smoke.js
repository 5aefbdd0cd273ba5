// Tests the package as users get it: packs it, installs it into an empty folder, runs and imports it, and reads its
// types.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'idport-smoke-'));
/** Number of users. With so much padding, the second thread is ready long before the end. */
const many = 60_000;
const oldestTypeScript = 'typescript@~5.4';
const padding = 'x'.repeat(1500);
try {
  const tarball = pack();
  install(tarball);
  demonstrate();
  convertWithTheCommand();
  convertWithSettings();
  convertWithTheLibrary();
  verifyWithTheLibrary();
  serveWithTheLibrary();
  convertOnTwoThreads();
  joinOnTwoThreads();
  readTheTypes();
  await rehearse();
  runThePages();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  lint();
  const [packed] = JSON.parse(
    npm(root, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
  );
  const allowed =
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|llms\.txt|skills\/|bin\/|dist\/|docs\/|man\/idport\.1$|schema\/|fixtures\/keycloak\/typical\/realm\.json$)/;
  const unexpected = packed.files.map(({ path }) => path).filter((path) => !allowed.test(path));
  if (unexpected.length > 0) throw new Error(`the package holds unexpected files: ${unexpected.join(', ')}`);
  const types = packed.files.filter(({ path }) => path.endsWith('.d.ts'));
  // The options of the library have the types of the flags, whose tables are the only place that defines them.
  if (types.length > 40) throw new Error(`the package publishes the types of ${types.length} modules`);
  return join(folder, packed.filename);
}

function lint() {
  runScript(binOf(root, 'publint'), ['run', root, '--strict']);
}

function install(tarball) {
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  npm(folder, ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball]);
  const scripts = npm(folder, ['query', ':attr(scripts, [install]), :attr(scripts, [postinstall])']);
  const named = JSON.parse(scripts).map(({ name }) => name);
  if (named.length > 0) throw new Error(`these packages run scripts when installed: ${named.join(', ')}`);
  const count = JSON.parse(npm(folder, ['query', '*'])).length - 1;
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  if (count > 48 || bytes > 32e6) throw new Error(`${count} packages, ${bytes} bytes: too much to install`);
}

/** Runs each demo, which needs nothing but the package and leaves nothing behind. */
function demonstrate() {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  for (const { flags, result } of [
    { flags: [], result: '7 of 7 users deleted' },
    { flags: ['--jit'], result: '1 of 2 users migrated' },
  ]) {
    const { status, stderr } = spawnSync(...npmCommand(['exec', '--', 'idport', 'demo', ...flags]), {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    });
    if (status !== 0 || !stderr.includes(result)) throw new Error(`the demo fails: ${stderr}`);
  }
  const left = readdirSync(temporary).filter((name) => name.startsWith('idport-'));
  if (left.length > 0) throw new Error(`the demo leaves ${left.join(', ')}`);
}

function convertWithTheCommand() {
  copyFileSync(join(root, 'fixtures/keycloak/typical/realm.json'), join(folder, 'realm.json'));
  npm(folder, ['exec', '--', 'idport', 'migrate', 'keycloak', '--org=1', '--realm=realm.json']);
  expectBody(JSON.parse(readFileSync(join(folder, 'importBody.json'), 'utf8')));
}

/** Converts with a configuration file that names the schema in the package. */
function convertWithSettings() {
  const $schema = './node_modules/idport/schema/idport.config.schema.json';
  const settings = { realm: 'realm.json', org: '1', output: 'settings.json' };
  const { properties } = JSON.parse(readFileSync(join(folder, $schema), 'utf8'));
  const known = properties.verbs.properties['migrate keycloak'].properties;
  for (const name of Object.keys(settings)) if (!(name in known)) throw new Error(`the schema lacks ${name}`);
  const config = { $schema, verbs: { 'migrate keycloak': settings } };
  writeFileSync(join(folder, 'idport.config.json'), JSON.stringify(config));
  npm(folder, ['exec', '--', 'idport', 'migrate', 'keycloak']);
  expectBody(JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')));
  rmSync(join(folder, 'idport.config.json'));
}

function convertWithTheLibrary() {
  const code = `
    import { convert } from 'idport';
    await convert({ provider: 'keycloak', realm: 'realm.json', org: '1', output: 'again.json' });
  `;
  run(process.execPath, ['--input-type=module', '--eval', code]);
  expectBody(JSON.parse(readFileSync(join(folder, 'again.json'), 'utf8')));
}

/** Does what a new user does: `idport init`, then what it prints, line by line, up to a verified import. */
async function rehearse() {
  const place = join(folder, 'rehearsal');
  mkdirSync(place);
  copyFileSync(join(root, 'fixtures/keycloak/typical/realm.json'), join(place, 'realm.json'));
  const idport = binOf(folder, 'idport');
  const type = (words) =>
    execFileSync(process.execPath, [idport, ...words], {
      cwd: place,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const screen = type(['init', 'realm.json', '--rehearsal']);
  const [serve, ...commands] = screen.match(/(?<=^ {2}idport ).*/gm).map((line) => line.split(' '));
  const server = spawn(process.execPath, [idport, ...serve, '--port=0'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let url;
    for await (const printed of server.stdout) if ((url = /http:\S+:\d+/.exec(printed)?.[0])) break;
    for (const words of commands) {
      const isLocal = words[0] === 'migrate' || words[0] === 'report';
      const added = [...(isLocal ? [] : [`--url=${url}`]), ...(words[0] === 'undo' ? ['--yes=7'] : [])];
      const printed = type([...words, ...added]);
      if (words[0] === 'verify' && printed !== '')
        throw new Error(`the rehearsal is not verified: ${printed}`);
    }
  } finally {
    server.kill();
  }
}

/** Runs the commands of the pages and the examples of the library with the installed package. */
function runThePages() {
  const pages = ['library', 'pages'].map((name) => `test/docs/${name}.`);
  execFileSync(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...pages], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, IDPORT_PACKAGE: folder },
  });
}

function verifyWithTheLibrary() {
  const code = `
    import { signBody, verifySignature } from 'idport/webhooks';
    const call = { body: '{}', header: signBody('{}', 'key', Date.now() / 1000), key: 'key' };
    if (!verifySignature(call).ok) throw new Error('a good signature is refused');
  `;
  run(process.execPath, ['--input-type=module', '--eval', code]);
}

function serveWithTheLibrary() {
  const code = `
    import { createReferenceServer } from 'idport/server';
    const server = createReferenceServer();
    const { url } = await server.listen();
    const { status } = await fetch(url + '/admin/v1/healthz');
    await server.close();
    if (status !== 200) throw new Error('the server answers ' + status);
  `;
  run(process.execPath, ['--input-type=module', '--eval', code]);
}

/** Threads are separate JavaScript files, so only the built package can prove that they are found. */
function convertOnTwoThreads() {
  const users = Array.from({ length: many }, (_, i) => ({
    id: `id-${i}`,
    username: `user-${i}`,
    email: `user-${i}@example.org`,
    enabled: true,
    attributes: { padding: [padding] },
  }));
  writeFileSync(join(folder, 'many.json'), JSON.stringify({ realm: 'r', users }));
  compareThreads(['keycloak', '--realm=many.json']);
}

/** Joins passwords. Some lines are broken, some match a user by email only, and some match no user. */
function joinOnTwoThreads() {
  const places = Array.from({ length: many }, (_, place) => place);
  const users = places.map((place) => ({
    user_id: `auth0|${place % 1000 === 7 ? 7 : place}`,
    email: `user-${place}@example.org`,
    name: `Zoë ${place}`,
    identities: [{ provider: 'auth0', connection: 'db', user_id: String(place), isSocial: false }],
    padding,
  }));
  const passwords = places.map((place) => ({
    ...(place % 10 > 1 && { _id: { $oid: String(2 * place) } }),
    email: `user-${place - (place % 3)}@example.org`,
    passwordHash: place % 50 === 7 ? 'no bcrypt' : `$2b$10$${String(place).padStart(53, 'a')}`,
    connection: 'db',
  }));
  const lines = (records) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n\n{"broken\n`;
  writeFileSync(join(folder, 'users.ndjson'), lines(users));
  writeFileSync(join(folder, 'passwords.ndjson'), lines(passwords));
  compareThreads(['auth0', '--users=users.ndjson', '--passwords=passwords.ndjson']);
}

function compareThreads(argv) {
  const [one, two] = [1, 2].map((threads) => {
    const outputs = [`--output=${threads}.json`, `--rejects=${threads}.ndjson`, '--quiet'];
    const flags = ['--org=1', `--threads=${threads}`, ...outputs];
    // The exit code is not checked, because records are rejected.
    spawnSync(...npmCommand(['exec', '--', 'idport', 'migrate', ...argv, ...flags]), { cwd: folder });
    return ['json', 'ndjson']
      .map((type) => readFileSync(join(folder, `${threads}.${type}`), 'utf8'))
      .join('');
  });
  if (one !== two) throw new Error('two threads write another body than one');
}

/** Compiles against the types with the oldest TypeScript that can read them, and with the one of this project. */
function readTheTypes() {
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import { convert, type Conversion, type IdportEvent } from 'idport';
import { createReferenceServer, type ReferenceServer } from 'idport/server';
import { webhookHandler, type Webhook } from 'idport/webhooks';
export const run: typeof convert = convert;
export const conversion: Conversion = { provider: 'auth0', org: '1', users: ['a'], id: 'keep' };
export const onEvent = (event: IdportEvent): void => void (event.type === 'run:end' && event.tally.read);
export const server: ReferenceServer = createReferenceServer({ rate: null });
export const webhook: Webhook = webhookHandler({ key: 'key', onCall: ({ userId }) => ({ userId }) });
// @ts-expect-error: no realm
export const wrong: Conversion = { provider: 'keycloak', org: '1' };
`,
  );
  npm(folder, [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefer-offline',
    oldestTypeScript,
  ]);
  const compilers = [binOf(folder, 'typescript', 'tsc'), binOf(root, 'typescript', 'tsc')];
  // Finds modules as Node does, and as bundlers do.
  const resolutions = [
    ['--module', 'node16'],
    ['--module', 'nodenext'],
    ['--module', 'preserve', '--moduleResolution', 'bundler'],
  ];
  const types = ['--target', 'es2022', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  for (const compiler of compilers) {
    for (const resolution of resolutions) {
      runScript(compiler, ['--noEmit', '--strict', ...resolution, ...types, 'consumer.ts']);
    }
  }
}

function expectBody(body) {
  const [org] = body.dataOrgs.orgs;
  if (org.orgId !== '1' || org.humanUsers.length === 0) throw new Error('the body holds no users');
}

/**
 * Returns program and arguments. On Windows `npm` is a script that only a shell can start, so npm itself says where it
 * is.
 */
function npmCommand(args) {
  const { npm_execpath: npm } = process.env;
  return npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
}

/**
 * Returns the script of a command of an installed package. On Windows, node_modules/.bin has no program that can be
 * started.
 */
function binOf(place, name, command = name) {
  const packageFolder = join(place, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  return join(packageFolder, typeof bin === 'string' ? bin : bin[command]);
}

function npm(cwd, args) {
  return execFileSync(...npmCommand(args), { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function runScript(script, args) {
  return run(process.execPath, [script, ...args]);
}

function run(command, args) {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
