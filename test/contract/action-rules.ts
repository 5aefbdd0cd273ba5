/** Every rule of the contract about actions, and the test that holds this server to it. */
import { type RuleEntry, rules, type Section } from './entry.ts';

const actions = 'server/methods/actions';
const dispatch = 'server/actions/dispatch';

export const actionRules: Section<RuleEntry> = rules(
  '6',
  'Actions',
  [
    [
      'first generation: 201, signing key, objects as targets',
      actions,
      'answers as the interface description says',
    ],
    [
      'second generation: objects as targets are a 400',
      actions,
      'refuse the objects of the first generation',
    ],
    ['field rules of targets', actions, 'refuse what breaks a field rule'],
    ['denied hosts, at creation', actions, 'refuse private hosts unless'],
    [
      'denied hosts, at redirects and when dialling',
      'server/actions/call-target',
      'goes to no private address',
    ],
    ['a new signing key at once', actions, 'a new key comes only when it is asked for'],
    ['deleting a target twice', actions, 'are gone after a delete'],
    ['names of conditions, in the brand of the server', actions, 'say what conditions may name'],
    [
      'one execution wins: exact, else the longest prefix',
      'server/actions/condition',
      'is the longest plain prefix',
    ],
    ['both brands mean the same method', 'server/actions/condition', 'carry either brand'],
    [
      'bulk import does not pass through AddHumanUser; the event comes once a user',
      dispatch,
      'tell of every new user once',
    ],
    [
      'payload of the second generation: camelCase, five headers',
      dispatch,
      'is signed with the key of the target',
    ],
    [
      'payload of the first generation: snake_case, no headers',
      dispatch,
      'has the shape of the interface description',
    ],
    [
      'Go user agent, redirects, 20 MiB, no retries',
      'server/actions/call-target',
      'stops after five redirects',
    ],
    ['timeout of the target', dispatch, 'comes too late after the timeout'],
    [
      'signature over time and body, for each key',
      'wire/signature',
      'gives the vector that the service gives',
    ],
    [
      'signature: past limited, future not, constant time',
      'wire/signature',
      'limits the past to five minutes',
    ],
    [
      'what failures do when the target interrupts',
      dispatch,
      'fails the call with %i when the target interrupts',
    ],
    ['what they do when it does not', dispatch, 'changes nothing when it does not'],
    ['a call replaces the request or the answer', dispatch, 'replaces the whole request'],
    ['an answer with unknown fields fails', dispatch, 'fails the call with %s when it interrupts'],
    ['async targets are not waited for', dispatch, 'are not waited for'],
    ['payloads as signed and encrypted tokens', dispatch, 'can be a signed token'],
    [
      'payload of an event',
      dispatch,
      'tell of every new user once',
      'differs because only user.human.added is sent, and without the hash of the password',
    ],
  ],
  ['functions (preuserinfo and others) are called: there is no flow that does'],
);
