/** Switches off the email about changed passwords, and keeps in a file what to undo: a line an organization. */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../errors.ts';
import { muteOrg, unmuteOrg } from '../../flows/jit/policies.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { refuseInUse } from '../../storage/open-output.ts';
import { connect } from '../connect.ts';
import type { ConnectionFlags } from '../connection-flags.ts';
import type { CommandContext } from '../context.ts';
import { notify } from '../actions/output.ts';

interface MutedFlags extends ConnectionFlags {
  readonly muted: string;
  readonly muteOrg?: readonly string[];
}

const lineSchema = z.object({ org: z.string().min(1), hadOwn: z.boolean() });

export async function muteOrgs(flags: MutedFlags, context: CommandContext): Promise<void> {
  const orgs = flags.muteOrg ?? [];
  if (orgs.length === 0) return;
  const path = resolve(context.cwd, flags.muted);
  refuseInUse(flags.muted, context);
  const client = await connect(flags, context);
  try {
    for (const org of orgs) {
      // Before the change, so that it can be undone after a crash.
      await muteOrg(client, org, (muted) => appendFileSync(path, `${JSON.stringify(muted)}\n`));
    }
  } finally {
    await client.close();
  }
}

/** The file is deleted when all of it is undone. */
export async function unmuteOrgs(flags: MutedFlags, context: CommandContext): Promise<void> {
  const path = resolve(context.cwd, flags.muted);
  if (!existsSync(path)) return;
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const client = await connect(flags, context);
  try {
    for (const [at, line] of lines.entries()) {
      const muted = lineSchema.safeParse(tryParseJson(line)).data;
      if (muted === undefined) {
        throw new InputError('input:syntax', flags.muted, `line ${at + 1} is not of jit setup --mute-org`);
      }
      await unmuteOrg(client, muted);
      const text = `Organization ${muted.org} sends the email about changed passwords again.`;
      notify(context, 'info', 'jit:unmuted', text);
    }
  } finally {
    await client.close();
  }
  rmSync(path);
}
