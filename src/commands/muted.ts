/** Switches the email about changed passwords on again, which `jit setup` or import-users switched off. */
import { existsSync } from 'node:fs';
import { note, warning } from '../events.ts';
import { unmuteOrgs } from '../flows/messages/password-emails.ts';
import { connect } from './connect.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import type { CommandContext } from './context.ts';
import { messageOf } from '../errors.ts';

/** Uses its own client, to work even after Ctrl-C or with a spent budget. Does nothing if the file does not exist. */
export async function unmute(flags: ConnectionFlags, file: string, context: CommandContext) {
  if (!existsSync(file)) return;
  const unstopped = { ...context, signal: new AbortController().signal };
  for (const [org, isRestored] of await unmuteOrgs(await connect(flags, unstopped), file)) {
    const what = isRestored ? 'is as it was before' : 'was changed by others meanwhile, and stays';
    const text = `Organization ${org}: the setting of the email about changed passwords ${what}.`;
    context.emit(note('emails:unmuted', text));
  }
}

/** Calls `unmute`, but warns instead of throwing, so that the error of a stopped run is not hidden. */
export async function unmuteAfterStop(...[flags, file, context]: Parameters<typeof unmute>) {
  await unmute(flags, file, context).catch((error: unknown) => {
    const text = `Organizations still send no email about changed passwords (${messageOf(error)}). --resume or idport undo switches it on again.`;
    context.emit(warning('emails:muted', text));
  });
}
