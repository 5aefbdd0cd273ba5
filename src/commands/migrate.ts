/** `idport migrate <provider>`: converts an export into an import body. */
import { ExitCode } from '../errors.ts';
import { createBodyOutput } from '../flows/convert/output.ts';
import { listCreated, type OrgSettings } from '../flows/orgs/choose-org.ts';
import { orgById } from '../records/resource.ts';
import type { ProjectSettings } from '../flows/roles/project-writer.ts';
import { isWithoutUsers } from '../records/tally.ts';
import type { ExportName } from '../sources/providers.ts';
import { mappingText } from '../sources/table/built-in-mappings.ts';
import type { Notice } from '../notice.ts';
import { print } from '../storage/stream-sink.ts';
import type { CommandOf } from './context.ts';
import type { MigrateValues } from '../flags/conversion.ts';
import type { SourceFlags } from '../flags/source.ts';
import { chooseOrg, readOrgSettings } from './choose-org.ts';
import { checkPolicy, exceedsWithoutPassword, runConversion } from './convert-request.ts';
import { askForProof, proveConverted } from './proof.ts';
import { readApps, readRoleSettings } from './project-flags.ts';
import { chooseProfile } from './service-limits.ts';
import { openProvider } from './source.ts';

/** Flags of `migrate` for any source. The flags of the source come in addition. */
type MigrateFlags = MigrateValues &
  Pick<SourceFlags, 'forceProvider'> & { readonly provider: ExportName; readonly printMap?: boolean };

export const migrate: CommandOf<MigrateFlags> = async (typed, context) => {
  if (typed.printMap) return print(context.stdout, mappingText(typed.provider));
  const source = await openProvider(typed.provider, typed, context);
  const org = await chooseOrg({ org: typed.org }, context);
  const flags = { ...typed, org };
  const body = { orgId: org, timeout: flags.timeout, multiline: flags.multiline };
  const profile = await chooseProfile(flags, context);
  const policy = checkPolicy(flags, profile, 'keep');
  // With several organizations, each user of the report has its own.
  if (flags.orgBy === undefined) context.addFacts({ organizations: [org] });
  const password = await askForProof(flags, source, context);
  const orgs = await readOrgSettings(flags, source, context);
  const roles = await readRoleSettings(flags, source, orgs, context);
  const apps = await readApps(flags, source);
  let proof: Notice | undefined;
  const tryBody = async () => (proof = await proveConverted(flags, source, password!, context));
  const tally = await runConversion(
    {
      verb: `migrate ${source.provider}`,
      source,
      policy,
      hashPlain: true,
      output: createBodyOutput(
        context.outputs.open(flags.output),
        body,
        orgs && listFirst(orgs, roles ?? apps),
      ),
      orgs,
      roles,
      tryBody: password === undefined ? undefined : tryBody,
      apps,
    },
    flags,
    context,
  );
  if (exceedsWithoutPassword(flags, tally, context) || proof?.level === 'warning') return ExitCode.differs;
  // An export without users is probably a mistake. Skipping users on request is not.
  return tally.rejected > 0 || isWithoutUsers(tally) ? ExitCode.rejected : ExitCode.done;
};

/** Lists the organizations to write. The owner of the project comes first, because the others are granted the project. */
function listFirst(orgs: OrgSettings, project: Pick<ProjectSettings, 'owner'> | undefined) {
  const owner = project === undefined ? [] : [orgById(project.owner)];
  return [...owner, ...listCreated(orgs)];
}
