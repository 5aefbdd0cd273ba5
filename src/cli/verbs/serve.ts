/** `idport serve`: the reference server, for rehearsals and CI. */
import type { Command } from 'commander';
import type { ServeFlags } from '../../commands/serve.ts';
import { examples } from '../command.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareServe: DeclareVerb = (program, dispatch) => {
  program
    .command('serve')
    .description('run the reference server: it answers, limits and refuses as the service does')
    .option('--port <port>', 'port to listen on; 0 for any free port', '8080')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--profile <profile>', 'target profile to behave like: a name or a file', 'hosted')
    .option('--rate <rate>', 'maximum requests per second and address: 50/s, or none (default: the profile)')
    .option('--retry-after', 'send Retry-After with a 429; the hosted service does not')
    .option('--org <id>', 'id of the first organization')
    .option('--org-name <name>', 'name of the first organization', 'Default')
    .option('--seed <file>', 'import body to start with; - for standard input')
    .output(
      '--dump <file>',
      'at the end, write everything here as an import body for --seed, secrets included',
    )
    .output('--key-file <file>', 'write a key file of the instance owner here')
    .option('--seconds-per-user <seconds>', 'simulated duration of a bulk import per user', '0')
    .option('--cut-after <duration>', 'cut requests after this time; 0s for never (default: the profile)')
    .option('--lag <duration>', 'how long lists lag behind writes, as in the service under load', '0s')
    .option('--external-domain <names>', 'host names to answer to besides local ones, separated by commas')
    .choice(
      '--brand <brand>',
      'first word of method names in webhook calls',
      ['service', 'zitadel'],
      'zitadel',
    )
    .option(
      '--allow-private-targets',
      'call targets at private addresses (default if only this machine can connect)',
    )
    .option('--no-allow-private-targets', 'refuse targets at private addresses')
    .option('--no-actions-feature', 'answer on /v3alpha that actions are not enabled')
    .option('--storage-endpoint <url>', "storage service to use instead of Google's")
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
  'idport serve --profile self-hosted --rate none --seed before.json --dump after.json',
)}`,
    )
    .action((options: Omit<ServeFlags, 'json'>, command: Command) =>
      dispatch(async () => (await import('../../commands/serve.ts')).serve, {
        ...options,
        json: command.optsWithGlobals<{ json?: boolean }>().json ?? false,
      }),
    );
};
