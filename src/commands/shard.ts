/** `--shard i/n`: the part of the users that a process takes, and the names of its files. */
import { parse, format } from 'node:path';
import { type ExitCode, UsageError } from '../errors.ts';
import { formatShard, type Shard } from '../flows/read/read-users.ts';
import type { ShardFlags } from '../flags/connection.ts';
import type { CommandOf, CommandContext } from './context.ts';

const indexName = 'JOB_COMPLETION_INDEX';

/** Throws `UsageError` for an invalid shard. */
function readShard({ shard }: ShardFlags, { env }: Pick<CommandContext, 'env'>): Shard | undefined {
  if (shard === undefined) return undefined;
  const [, number = '', of = ''] = /^(\d{1,4}|auto)\/(\d{1,4})$/.exec(shard) ?? [];
  const count = Number(of);
  const index = number === 'auto' ? readIndex(env[indexName]) : Number(number);
  if (number !== '' && index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `--shard ${shard}: there is no such shard${number === 'auto' ? ` for ${indexName} ${env[indexName]}` : ''}`,
    'Of four processes the shards are 1/4, 2/4, 3/4 and 4/4. In a Kubernetes Indexed Job auto/4 is the one of the pod.',
  );
}

/** Reads the number of a pod, which Kubernetes counts from 0, and returns that of its shard. */
function readIndex(text: string | undefined) {
  if (text !== undefined && /^\d{1,4}$/.test(text)) return Number(text) + 1;
  throw new UsageError(
    `--shard=auto needs the number of the pod in ${indexName}`,
    'An Indexed Job of Kubernetes sets it (completionMode: Indexed). Elsewhere write the number: --shard=1/4.',
  );
}

/** `report.json` becomes `report.2-of-4.json` for shard 2 of 4, because each process has its own files. */
export function fileOfShard(path: string, shard: Shard | undefined) {
  if (shard === undefined || path === '-') return path;
  const { dir, root, name, ext } = parse(path);
  const ending = `.${shard.index}-of-${shard.count}`;
  return name.endsWith(ending) ? path : format({ dir, root, name: name + ending, ext });
}

/** Returns the path for the shard that the flags name. Unchanged if the shard is invalid. */
export function ownFile(path: string, flags: object, context: Pick<CommandContext, 'env'>) {
  try {
    return fileOfShard(path, readShard(flags, context));
  } catch {
    return path;
  }
}

/** Flags of outputs for which each shard has its own file. */
const outputs = ['journal', 'idMap', 'report', 'rejects', 'mailList', 'jitList'] as const;

type Outputs = Partial<Readonly<Record<(typeof outputs)[number], string | undefined>>>;

/** Runs a command for the shard of its flags, with the files of that shard. */
export function byShard<Flags extends ShardFlags & Outputs>(
  run: (flags: Flags, context: CommandContext, shard: Shard | undefined) => Promise<ExitCode>,
): CommandOf<Flags> {
  return async (flags, context) => {
    const shard = readShard(flags, context);
    context.addFacts({ shard: shard && formatShard(shard) });
    const named = outputs.flatMap((name) => {
      const path = flags[name];
      return path === undefined ? [] : [[name, fileOfShard(path, shard)] as const];
    });
    return run({ ...flags, ...Object.fromEntries(named) }, context, shard);
  };
}
