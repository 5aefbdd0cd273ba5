/** Questions that a command asks a user at a terminal. */

/** Asks questions with a list or a check. Ctrl-C throws `InterruptedError`. */
export interface Dialog {
  readonly choose: (
    question: string,
    choices: readonly { readonly value: string; readonly label: string }[],
  ) => Promise<string>;
  /** `check` returns what is wrong with an answer, or undefined. */
  readonly text: (question: string, options?: TextOptions) => Promise<string>;
  readonly secret: (question: string) => Promise<string>;
  readonly confirm: (question: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

interface TextOptions {
  readonly initial?: string;
  readonly check?: (answer: string) => string | undefined;
}
