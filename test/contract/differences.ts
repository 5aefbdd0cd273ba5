/**
 * Answers of this server that differ on purpose from what the service was recorded to answer, with the reason: for
 * the test that plays the recorded calls.
 */
export interface Difference {
  readonly reason: string;
  /** Names of calls in `test/contract/recorded/`. */
  readonly calls: readonly string[];
}

export const differences: readonly Difference[] = [
  {
    reason: 'the first generation of actions is served as the interface description has it',
    calls: ['v3alpha targets'],
  },
  {
    reason:
      'hosts of targets are not looked up while private targets are allowed, so that a rehearsal needs no network; ' +
      'with `--allow-private-targets=false` the answer is that of the service',
    calls: ['v2 target endpoint 1001'],
  },
  {
    reason:
      'hosts that applications are to call back are not looked up, so that a rehearsal needs no network',
    calls: ['oidc: token types', 'app get atok'],
  },
  {
    reason:
      'the list of the service stood still for twenty seconds at a grant that names a project grant that does not exist',
    calls: [
      'ugrants search',
      'ugrants search project',
      'ugrants after role delete',
      'ugrants org 2 after role delete',
    ],
  },
  {
    reason:
      'one recording asks for a session that it has not kept, `undefined`; in the other the answers are equal',
    calls: ['session get', 'session delete'],
  },
];
