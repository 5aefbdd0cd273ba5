/** What runs outside of vitest tell: a line for each thing that was tried. */

/** The lines come below what went wrong, which makes the exit code 1. */
export function tell(what: string, isWell: boolean, ...lines: readonly string[]) {
  process.stdout.write(`${isWell ? 'ok      ' : 'TROUBLE '} ${what}\n`);
  if (isWell) return;
  for (const line of lines) process.stdout.write(`         ${line}\n`);
  process.exitCode = 1;
}
