/** `idport create-idps`: creates the identity providers of an export at the target, and writes the file for `--idp-map`. */
import { note } from '../events.ts';
import { ExitCode, UsageError } from '../errors.ts';
import { createIdps } from '../flows/resources/create-idps.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { encodeRow } from '../lib/csv.ts';
import { loadProvider } from '../sources/index.ts';
import { describeSource } from '../sources/recognise.ts';
import type { Notice, Notify } from '../notice.ts';
import type { SourceIdp } from '../sources/source.ts';
import { connect, readPrivate } from './connect.ts';
import { recordFlags } from '../flags/conversion.ts';
import type { createIdpsFlags, ImportUsersFlags } from '../flags/imports.ts';
import type { files } from '../flags/others.ts';
import { readFlags, type Values } from '../lib/flag.ts';
import type { Action, CommandContext } from './context.ts';
import { chooseOrg } from './choose-org.ts';
import { readIdps } from './convert-request.ts';
import { readPairs } from './read-text.ts';
import type { OpenedSource } from '../flows/read/read-users.ts';
import { openProvider, openSource } from './source.ts';
import { requireRepeatable } from '../lib/input.ts';

export const createIdpsCommand: Action<typeof createIdpsFlags & typeof files> = async (flags, context) => {
  const record = {
    ...readFlags(recordFlags, {}),
    ...flags,
    realm: [flags.files ?? [], flags.realm ?? []].flat(),
  };
  const source = await openProvider('keycloak', record, context);
  const { missing } = await makeIdps(flags, source, context);
  return missing > 0 ? ExitCode.rejected : ExitCode.done;
};

type CreateIdpsFlags = Values<typeof createIdpsFlags>;

/**
 * Writes the id map and the journal next to the first input, unless flags name them. Throws `UsageError`, `InputError`
 * and `ApiError`.
 */
async function makeIdps(
  flags: CreateIdpsFlags,
  { provider: name, inputs, options }: OpenedSource,
  context: CommandContext,
  notify: Notify = () => {},
) {
  const org = await chooseOrg(flags, context);
  const provider = await loadProvider(name);
  if (provider.idps === undefined) {
    throw new UsageError(`${describeSource(name)} holds no identity providers that could be created`);
  }
  requireRepeatable(inputs, 'Identity providers are read before the users');
  const { cwd, emit, outputs, typed } = context;
  const base = inputs[0]?.name ?? 'export';
  const path = canonicalPath(flags.journal ?? `${base}.idps.journal`, cwd);
  outputs.claim('the journal', path);
  const map = outputs.open(flags.output ?? `${base}.idps.csv`);
  const secretOf = readSecrets(flags, context);
  const idps = await provider.idps(inputs, options);
  const created = await createIdps(
    {
      client: await connect(flags, context),
      org,
      idps,
      secretOf,
      journal: { path, typed, names: inputs.map(({ name }) => name) },
      dryRun: flags.dryRun,
      notify(notice) {
        notify(notice);
        emit(notice);
      },
    },
    context,
  );
  if (!flags.dryRun && created.ids.size > 0) {
    const rows = [...created.ids].map(encodeRow);
    await map.write(`alias,configId\n${rows.join('')}`);
    await map.commit();
    const text = `${map.name} has the id of each: pass it to migrate, import-users, check and verify with --idp-map.`;
    emit(note('idp:map', text));
  }
  return created;
}

/**
 * Returns a function that takes a client secret from the export or the file, else asks for it. The secret is empty if
 * there is none. Throws `UsageError` and `InputError`.
 */
function readSecrets(
  { idpSecrets }: CreateIdpsFlags,
  context: CommandContext,
): (idp: SourceIdp) => Promise<string> {
  if (idpSecrets === 'export') return async ({ secret }) => secret;
  if (idpSecrets === undefined) {
    const { askSecret } = context;
    return async ({ alias }) =>
      (await askSecret?.(`Client secret of ${alias} (Enter for a placeholder): `)) ?? '';
  }
  const secrets = readPairs(idpSecrets, readPrivate(idpSecrets, context), {
    expected: 'an alias and a client secret',
    example: 'google,GOCSPX-...; put a secret with a comma, a semicolon or a quote in quotes.',
    what: 'identity provider',
    values: 'secrets',
    fits: ({ length }) => length === 2,
  });
  return async ({ alias }) => secrets.get(alias) ?? '';
}

/**
 * Runs `import-users --create-idps`: adds the id of each created identity provider to the flags, as if given with
 * `--idp`, and opens the source again with them.
 */
export async function withCreatedIdps(
  typed: ImportUsersFlags & { readonly org: string },
  source: OpenedSource,
  context: CommandContext,
) {
  if (!typed.createIdps) return { flags: typed, given: source, notices: [] };
  const other = (typed.orgBy !== undefined && '--org-by') || (typed.shard !== undefined && '--shard');
  if (other !== false) {
    throw new UsageError(
      `--create-idps and ${other} do not go together`,
      'It works for one organization. Run `idport create-idps` first, and give its file with --idp-map.',
    );
  }
  const notices: Notice[] = [];
  // The output and journal named by the flags belong to the import. Those of this step go next to the input.
  const { output: _, journal: __, ...own }: CreateIdpsFlags = typed;
  const { ids } = await makeIdps(own, source, context, (notice) => notices.push(notice));
  const all = { ...Object.fromEntries(ids), ...readIdps(typed, context.cwd) };
  const flags = { ...typed, idp: Object.entries(all).map(([alias, id]) => `${alias}=${id}`) };
  return { flags, given: await openSource(flags, context), notices };
}
