/** The verbs around a migration: its files, credentials, the reference server, the tool itself. */
import { formatFlags } from '../../flags/connection.ts';
import {
  demoFlags,
  explainArgument,
  mergeArgument,
  passwordFlags,
  profileArgument,
  reportArgument,
  reportPageFlags,
  runsArgument,
  serveFlags,
  shellArgument,
  tokenFlags,
} from '../../flags/others.ts';
import { branch, verb } from '../verb.ts';

export const merge = verb({
  description: 'merge the journals, id maps and reports of all shards of a run',
  args: mergeArgument,
  examples: [
    'idport merge importBody.json.users.journal importBody.json.ids.csv',
    'idport merge report.json',
  ],
  load: async () => (await import('../../commands/merge.ts')).merge,
});

export const report = verb({
  description: 'join the reports of one cutover into a page that opens in any browser',
  args: reportArgument,
  flags: reportPageFlags,
  examples: [
    'idport report migrate.json check.json import.json verify.json --output=cutover.html',
    'idport report *.html.json --output=cutover.html',
  ],
  load: async () => (await import('../../commands/report.ts')).report,
});

export const runs = verb({
  description: 'list the imports in a folder, by their journals, and how to resume, verify or undo each',
  args: runsArgument,
  flags: formatFlags,
  examples: ['idport runs', 'idport runs rehearsal/ --format=json'],
  load: async () => (await import('../../commands/runs.ts')).runs,
});

export const profile = branch(
  'show what a target accepts: hash algorithms, limits, rates',
  ['idport profile show hosted', 'idport profile show self-hosted > my-target.json'],
  {
    show: verb({
      description: 'print a complete profile as JSON, as a start for your own',
      args: profileArgument,
      examples: [
        'idport profile show self-hosted > my-target.json',
        'idport migrate keycloak --org=1 --realm=realm.json --target-profile=my-target.json',
      ],
      load: async () => (await import('../../commands/profile.ts')).showProfile,
    }),
  },
);

const lookUp = [
  'idport password verify --body=importBody.json --user=alice',
  'printf %s "$PASSWORD" | idport password verify --body=importBody.json --user=alice --password=-',
];

export const password = branch('prove that a converted hash accepts a known password', lookUp, {
  verify: verb({
    description: 'check a password against the hash of a user in an import body; exit code 4 if it fails',
    flags: passwordFlags,
    examples: lookUp,
    load: async () => (await import('../../commands/password.ts')).verifyPasswordOf,
  }),
});

export const token = verb({
  description: 'get an access token for a service account, or check what a token may do',
  flags: tokenFlags,
  examples: [
    'idport token --url=https://id.example.com --key-file=key.json --output=token.txt',
    'idport token --check --url=https://id.example.com --token-file=token.txt',
  ],
  load: async () => (await import('../../commands/token.ts')).token,
});

export const serve = verb({
  description: 'run the reference server, which behaves like the service',
  flags: serveFlags,
  common: ['port', 'host', 'profile', 'rate', 'org', 'seed', 'dump', 'writeKeyFile', 'lag'],
  notes: `
Environment:
  IDPORT_SERVE_TOKEN          token of the instance owner, instead of a random one
  IDPORT_SERVE_CONTROL_TOKEN  token of the control interface, instead of a random one
`,
  examples: [
    'idport serve',
    'idport serve --port=0 --json --org=165617389845094785 > server.json',
    'idport serve --profile=self-hosted --rate=none --seed=before.json --dump=after.json',
  ],
  load: async () => (await import('../../commands/serve.ts')).serve,
});

export const explain = verb({
  description: 'explain a code of a reason, notice, error or login, and what to do about it',
  args: explainArgument,
  withoutSettings: true,
  examples: ['idport explain password:none', 'idport explain COMMAND-ziuna V3-DKcYh'],
  load: async () => (await import('../../commands/explain.ts')).explain,
});

export const completion = verb({
  description: 'print a shell completion script',
  args: shellArgument,
  withoutSettings: true,
  examples: [
    'source <(idport completion bash)',
    'idport completion zsh > "${fpath[1]}/_idport"',
    'idport completion fish > ~/.config/fish/completions/idport.fish',
  ],
  load: async () => (await import('../completion.ts')).completion,
});

export const demo = verb({
  description: 'show a whole migration on this machine: convert, check, import, verify, roll back',
  flags: demoFlags,
  examples: ['idport demo --page=cutover.html', 'idport demo --jit'],
  load: async (run) => {
    const { demo: show } = await import('../../commands/demo.ts');
    return (flags, context) => show({ ...flags, run }, context);
  },
});
