/** `idport serve`: a server that answers, limits and refuses as the service does, for rehearsals and CI. */
import { type Command, Option } from 'commander';
import type { ServeFlags } from '../../commands/serve.ts';
import { examples, type DeclareVerb } from '../verb.ts';

export const declareServe: DeclareVerb = (program, dispatch) => {
  program
    .command('serve')
    .description('run a server that answers, limits and refuses as the service does')
    .option('--port <port>', 'where to listen; 0 for any free port', '8080')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--profile <profile>', 'what it takes and how strict it is: a name or a file', 'hosted')
    .option(
      '--rate <rate>',
      'requests per second and address, for example 50/s, or none (default: the profile)',
    )
    .option('--retry-after', 'say in a 429 when to come back, which the hosted service does not')
    .option('--org <id>', 'id of the organization that is there from the start')
    .option('--org-name <name>', 'and its name', 'Default')
    .option('--seed <file>', 'import body that is there from the start; - for standard input')
    .option('--data <folder>', 'keep the state in this folder (default: in memory only)')
    .option('--key-file <file>', 'write a key of the instance owner here, for sign-in with a key')
    .option('--seconds-per-user <seconds>', 'what each user of a bulk import costs of its timeout', '0')
    .option('--cut-after <duration>', 'cut calls after this time, 0s for never (default: the profile)')
    .addOption(
      new Option('--brand <brand>', 'first word of method names that go out')
        .choices(['service', 'zitadel'])
        .default('service'),
    )
    .option(
      '--allow-private-targets',
      'call targets at private addresses (default where only this machine can connect)',
    )
    .option('--no-allow-private-targets', 'refuse targets at private addresses')
    .option('--no-actions-feature', 'answer on /v3alpha that the actions feature is not enabled')
    .option('--storage-endpoint <url>', "another storage service in place of Google's")
    .option('--no-control', 'no control interface under /_idport/')
    .addHelpText(
      'after',
      `
Environment:
  IDPORT_SERVE_TOKEN          token of the instance owner, instead of a random one
  IDPORT_SERVE_CONTROL_TOKEN  token of the control interface, instead of a random one
${examples(
  'idport serve',
  'idport serve --port 0 --json --org 165617389845094785 > server.json',
  'idport serve --profile self-hosted --rate none --data rehearsal/',
)}`,
    )
    .action((options: Omit<ServeFlags, 'json'>, command: Command) =>
      dispatch(async () => (await import('../../commands/serve.ts')).serve, {
        ...options,
        json: command.optsWithGlobals<{ json?: boolean }>().json ?? false,
      }),
    );
};
