/** `actions listen`, `verify`, `sign` and `replay`: a receiver for tests. None of them calls the service. */
import type { ListenCommandOptions } from '../../../commands/actions/listen.ts';
import type { ReplayCommandOptions } from '../../../commands/actions/replay.ts';
import type { SignCommandOptions } from '../../../commands/actions/sign.ts';
import type { VerifyCommandOptions } from '../../../commands/actions/verify.ts';
import { collect, type DeclareVerb } from '../../verb.ts';

const keyFlag = '--signing-key-file <file>';
const tolerance = ['--tolerance <duration>', 'how old, or ahead of this clock, a call may be', '5m'] as const;
const allowFuture = ['--allow-future', 'take calls from any time in the future'] as const;

export const declareListen: DeclareVerb = (actions, dispatch) => {
  actions
    .command('listen')
    .description('open a port, verify and show every call that arrives')
    .option('--port <number>', 'port to listen on; 0 takes a free one', '0')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(keyFlag, 'signing key of the target, read anew for each call (repeatable)', collect)
    .option('--forward-to <url>', 'forward verified calls, and send back the response from there')
    .option('--forward-timeout <duration>', 'longest wait for that response', '30s')
    .option('--record <folder>', 'save each call as it came, secrets included')
    .option('--calls <number>', 'stop after N calls')
    .option('--status <code>', 'status of the response to a verified call', '200')
    .option('--delay <duration>', 'delay before that response', '0s')
    .option('--max-body <size>', 'refuse larger bodies', '4MiB')
    .option(...tolerance)
    .option(...allowFuture)
    .option('--allow-replays', 'take a call that has come before')
    .format()
    .examples(
      'idport actions listen --port 8080 --signing-key-file audit.key',
      'idport actions listen --signing-key-file audit.key --forward-to http://localhost:3000/hook',
    )
    .action((options: ListenCommandOptions) =>
      dispatch(async () => (await import('../../../commands/actions/listen.ts')).listenForCalls, options),
    );
};

export const declareVerify: DeclareVerb = (actions, dispatch) => {
  actions
    .command('verify')
    .description('check the signature of a saved call, and say why it is refused')
    .argument('<file>', 'a recorded call, or - for standard input')
    .requiredOption(keyFlag, 'signing key of the target (repeatable)', collect)
    .option('--signature <value>', 'value of the header, where the file holds the body alone')
    .option('--at <time>', 'check the age by this time (default: when the call was recorded, else now)')
    .option('--ignore-age', 'take a call of any age')
    .option(...tolerance)
    .option(...allowFuture)
    .format()
    .examples(
      'idport actions verify calls/first.http --signing-key-file audit.key',
      'idport actions verify body.json --signature "t=1700000000,v1=a92e..." --signing-key-file audit.key --ignore-age',
    )
    .action((file: string, options: Omit<VerifyCommandOptions, 'file'>) =>
      dispatch(async () => (await import('../../../commands/actions/verify.ts')).verifySavedCall, {
        ...options,
        file,
      }),
    );
};

export const declareSign: DeclareVerb = (actions, dispatch) => {
  actions
    .command('sign')
    .description('print the signature header for a body')
    .argument('<body>', 'a file with the body, or - for standard input')
    .requiredOption(keyFlag, 'key to sign with (repeatable)', collect)
    .option('--at <time>', 'sign with this time (default: now)')
    .examples(
      'idport actions sign body.json --signing-key-file audit.key',
      'curl -H "$(idport actions sign body.json --signing-key-file audit.key)" --data-binary @body.json <url>',
    )
    .action((file: string, options: Omit<SignCommandOptions, 'file'>) =>
      dispatch(async () => (await import('../../../commands/actions/sign.ts')).signFile, {
        ...options,
        file,
      }),
    );
};

export const declareReplay: DeclareVerb = (actions, dispatch) => {
  actions
    .command('replay')
    .description('send recorded calls again, one after the other')
    .argument('<recordings>', 'a folder that `actions listen --record` has filled, or one file of it')
    .requiredOption('--to <url>', 'where to send them')
    .option(keyFlag, 'sign them again with this key and the time of now (repeatable)', collect)
    .option('--timeout <duration>', 'longest wait for a response', '30s')
    .format()
    .examples(
      'idport actions replay calls --to http://localhost:3000/hook --signing-key-file audit.key',
      'idport actions replay calls/first.http --to http://localhost:3000/hook',
    )
    .action((path: string, options: Omit<ReplayCommandOptions, 'path'>) =>
      dispatch(async () => (await import('../../../commands/actions/replay.ts')).replayCalls, {
        ...options,
        path,
      }),
    );
};
