/** `idport actions`: targets, executions, and a receiver of calls for tests. */
import {
  actionsFile,
  applyFlags,
  bodyFile,
  clearFlags,
  createTargetFlags,
  getTargetFlags,
  listenFlags,
  listFlags,
  oneTarget,
  recordings,
  replayFlags,
  rotateKeyFlags,
  savedCall,
  setFlags,
  signFlags,
  updateTargetFlags,
  verifyCallFlags,
} from '../../flags/actions.ts';
import { serviceFlags } from '../../flags/connection.ts';
import { branch, verb } from '../verb.ts';

const targets = () => import('../../commands/actions/target.ts');
const executions = () => import('../../commands/actions/execution.ts');
const savedCalls = () => import('../../commands/actions/calls.ts');

/** Flags that are in the short help of several verbs. */
const settings = ['name', 'endpoint', 'timeout', 'webhook', 'call', 'async', 'interruptOnError'];
const conditions = [
  'requestMethod',
  'requestService',
  'responseMethod',
  'responseService',
  'function',
  'event',
  'eventGroup',
  'url',
];

const target = branch(
  'register, list, change and delete targets',
  ['idport actions target list', 'idport actions target get audit'],
  {
    create: verb({
      description: 'register a target',
      flags: createTargetFlags,
      common: [...settings, 'signingKeyFile', 'url'],
      examples: [
        'idport actions target create --name=audit --endpoint=https://hooks.example/audit --timeout=10s --signing-key-file=audit.key',
        'idport actions target create --name=gate --endpoint=https://hooks.example/gate --call --interrupt-on-error --show-key',
      ],
      load: async () => (await targets()).createTarget,
    }),
    update: verb({
      description: 'change a target; settings that are not given stay',
      args: oneTarget,
      flags: updateTargetFlags,
      common: [...settings, 'payload', 'url'],
      examples: [
        'idport actions target update audit --timeout=5s',
        'idport actions target update audit --endpoint=https://hooks.example/v2/audit',
      ],
      load: async () => (await targets()).updateTarget,
    }),
    list: verb({
      description: 'list all targets, without their keys',
      flags: listFlags,
      examples: ['idport actions target list', 'idport actions target list --format=json | jq'],
      load: async () => (await targets()).listTargets,
    }),
    get: verb({
      description: 'show one target; fetch its signing key',
      args: oneTarget,
      flags: getTargetFlags,
      examples: [
        'idport actions target get audit',
        'idport actions target get audit --signing-key-file=audit.key',
      ],
      load: async () => (await targets()).getTarget,
    }),
    delete: verb({
      description: 'delete a target, and remove it from executions',
      args: oneTarget,
      flags: serviceFlags,
      examples: ['idport actions target delete audit', 'idport actions target delete 344649040681500814'],
      load: async () => (await targets()).deleteTarget,
    }),
    'rotate-key': verb({
      description: 'make a new signing key; the old one stops working at once',
      args: oneTarget,
      flags: rotateKeyFlags,
      examples: [
        'idport actions target rotate-key audit --signing-key-file=audit.key',
        'idport actions target rotate-key audit --show-key',
      ],
      load: async () => (await targets()).rotateKey,
    }),
  },
);

const execution = branch(
  'set which calls and events trigger a target',
  ['idport actions execution list', 'idport actions execution set --event=user.human.added --target=audit'],
  {
    set: verb({
      description: 'set the targets of a condition; they replace those it has',
      flags: setFlags,
      common: ['target', ...conditions],
      examples: [
        'idport actions execution set --request-method=/zitadel.user.v2.UserService/AddHumanUser --target=audit',
        'idport actions execution set --event=user.human.added --target=audit --target=crm',
      ],
      load: async () => (await executions()).setExecution,
    }),
    list: verb({
      description: 'list all executions',
      flags: listFlags,
      examples: ['idport actions execution list', 'idport actions execution list --format=json | jq'],
      load: async () => (await executions()).listExecutions,
    }),
    clear: verb({
      description: 'remove all targets from a condition',
      flags: clearFlags,
      common: conditions,
      examples: [
        'idport actions execution clear --request-method=/zitadel.user.v2.UserService/AddHumanUser',
        'idport actions execution clear --event-all',
      ],
      load: async () => (await executions()).clearExecution,
    }),
  },
);

export const actions = branch(
  'register targets and executions; receive, verify, sign and replay their calls',
  ['idport actions apply actions.yaml', 'idport actions listen --port=8080 --signing-key-file=audit.key'],
  {
    target,
    execution,
    apply: verb({
      description: 'show what a file would change at the service; with --yes change it',
      args: actionsFile,
      flags: applyFlags,
      examples: [
        'idport actions apply actions.yaml',
        'idport actions apply actions.yaml --yes --key-folder=keys',
      ],
      load: async () => (await import('../../commands/actions/apply.ts')).applyActions,
    }),
    listen: verb({
      description: 'open a port, verify and show every call that arrives',
      flags: listenFlags,
      common: ['port', 'host', 'signingKeyFile', 'forwardTo', 'record', 'calls', 'format'],
      examples: [
        'idport actions listen --port=8080 --signing-key-file=audit.key',
        'idport actions listen --signing-key-file=audit.key --forward-to=http://localhost:3000/hook',
      ],
      load: async () => (await import('../../commands/actions/listen.ts')).listenForCalls,
    }),
    verify: verb({
      description: 'check the signature of a saved call, and say why it is refused',
      args: savedCall,
      flags: verifyCallFlags,
      examples: [
        'idport actions verify calls/first.http --signing-key-file=audit.key',
        'idport actions verify - --signing-key-file=audit.key < calls/first.http',
      ],
      load: async () => (await savedCalls()).verifySavedCall,
    }),
    sign: verb({
      description: 'print the signature header for a body',
      args: bodyFile,
      flags: signFlags,
      examples: [
        'idport actions sign body.json --signing-key-file=audit.key',
        'curl -H "$(idport actions sign body.json --signing-key-file=audit.key)" --data-binary @body.json <url>',
      ],
      load: async () => (await savedCalls()).signFile,
    }),
    replay: verb({
      description: 'send recorded calls again, one after the other',
      args: recordings,
      flags: replayFlags,
      examples: [
        'idport actions replay calls --to=http://localhost:3000/hook --signing-key-file=audit.key',
        'idport actions replay calls/first.http --to=http://localhost:3000/hook',
      ],
      load: async () => (await savedCalls()).replayCalls,
    }),
  },
);
