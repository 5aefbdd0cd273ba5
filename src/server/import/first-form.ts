/** Converts an organization of an import from the first form (v1) to the second. */
import { dataOrg, dataOrgV1, type DataOrg, type DataOrgV1 } from '../../wire/org-data.ts';
import { emptyMessageOf } from '../../wire/message.ts';
import type { InstanceRow } from '../store/rows.ts';

/** What the instance has for lifetimes, and what every imported login policy gets in this form. */
const lifetimes = {
  passwordCheckLifetime: '864000s',
  externalLoginCheckLifetime: '864000s',
  mfaInitSkipLifetime: '2592000s',
  secondFactorCheckLifetime: '64800s',
  multiFactorCheckLifetime: '43200s',
} as const;

export function toSecondForm(org: DataOrgV1, instance: InstanceRow): DataOrg {
  const { iamPolicy, secondFactors, multiFactors, idps, triggerActions, loginPolicy, ...same } = org;
  return {
    ...emptyMessageOf(dataOrg),
    ...same,
    domainPolicy: iamPolicy && {
      orgId: iamPolicy.orgId,
      userLoginMustBeDomain: iamPolicy.userLoginMustBeDomain,
      validateOrgDomains: instance.validateOrgDomains,
      smtpSenderAddressMatchesInstanceDomain: instance.smtpSenderAddressMatchesInstanceDomain,
    },
    loginPolicy: loginPolicy && {
      ...loginPolicy,
      ...lifetimes,
      secondFactors: secondFactors.map((factor) => factor.type),
      multiFactors: multiFactors.map((factor) => factor.type),
      idps,
    },
    triggerActions: triggerActions.map(({ flowType, triggerType, actionIds }) => ({
      flowType: enumDigits('flowType', flowType),
      triggerType: enumDigits('triggerType', triggerType),
      actionIds,
    })),
  };
}

const triggerPlan = dataOrgV1.plan.byName.get('triggerActions')!.message!.plan;

/** `FLOW_TYPE_EXTERNAL_AUTHENTICATION` -> `1`; an unknown name was read as 0. */
function enumDigits(field: 'flowType' | 'triggerType', value: string | number): string {
  if (typeof value === 'number') return String(value);
  return String(triggerPlan.byName.get(field)!.names!.indexOf(value));
}
