/** Executions of both generations (set, delete, search), their conditions, and the names that conditions may use. */
import { isDeepStrictEqual } from 'node:util';
import { pagination, query } from '../../wire/details.ts';
import { choice, list, oneOf, text, timestamp, message } from '../../wire/message.ts';
import * as wire from '../../wire/actions.ts';
import { type Condition, condition, splitCondition } from '../../wire/actions.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { capital } from '../../wire/member-names.ts';
import { brandedName, canonicalName, ofGroup } from '../actions/names.ts';
import { type Call, actions, actionsV3 } from '../method.ts';
import { existing, refusal, refuseIf } from '../errors.ts';
import { defaultPage, filtered, listV1, pageFrom, pageOf, paginated, sortedBy } from '../paging.ts';
import type { ExecutionEntry, ExecutionRow, Generation } from '../store/rows.ts';
import { datesOf, instanceDetails } from '../users/show.ts';

export const executionMethods = [
  actions('SetExecution', 'PUT /v2/actions/executions', 'action.execution.write', {
    request: {
      condition,
      targets: list(text),
    },
    response: { setDate: timestamp },
    handle(call, { condition, targets }) {
      return { setDate: setExecution(call, condition, targets, 'v2').changed };
    },
  }),
  actions('ListExecutions', 'POST /v2/actions/executions/search', 'action.execution.read', {
    request: {
      pagination,
      sortingColumn: choice([
        'EXECUTION_FIELD_NAME_UNSPECIFIED',
        'EXECUTION_FIELD_NAME_ID',
        'EXECUTION_FIELD_NAME_CREATED_DATE',
        'EXECUTION_FIELD_NAME_CHANGED_DATE',
      ]),
      filters: list(
        oneOf('zitadel.action.v2.ExecutionSearchFilter', 'filter', {
          inConditionsFilter: message('InConditionsFilter', { conditions: list(condition) }),
          executionTypeFilter: message('ExecutionTypeFilter', { executionType: choice(wire.executionTypes) }),
          targetFilter: message('TargetFilter', { targetId: text }),
        }),
      ),
    },
    response: wire.listExecutionsResponse,
    handle({ store }, { filters, pagination: asked, sortingColumn }) {
      // An execution without targets does nothing and is not listed.
      const set = store.executions.list().filter(({ targets }) => targets.length > 0);
      const rows = filtered(set, filters, {
        inConditionsFilter:
          ({ conditions }) =>
          ({ id }) =>
            conditions.some((condition) => conditionId(condition) === id),
        // `EXECUTION_TYPE_REQUEST` matches `request` and everything below it.
        executionTypeFilter:
          ({ executionType }) =>
          ({ id }) =>
            id.split('/')[0] === String(executionType).replace('EXECUTION_TYPE_', '').toLowerCase(),
        targetFilter:
          ({ targetId }) =>
          ({ targets }) =>
            targets.includes(targetId),
      });
      const found = sortedBy(rows, (row) => {
        if (sortingColumn === 'EXECUTION_FIELD_NAME_ID') return row.id;
        return sortingColumn === 'EXECUTION_FIELD_NAME_CHANGED_DATE' ? row.changed : row.created;
      });
      return paginated('executions', found, asked, (row) => ({
        condition: row.condition,
        ...datesOf(row),
        targets: targetIds(row),
      }));
    },
  }),
];

/** Lists of names. They are the same in all versions, and any token may read them. */
export const nameMethods = (['functions', 'methods', 'services'] as const).map((kind) =>
  actions(`ListExecution${capital(kind)}`, `GET /v2/actions/executions/${kind}`, 'authenticated', {
    response: { [kind]: list(text) },
    handle: ({ names, settings }) => ({
      [kind]: names[kind].map((name) => brandedName(name, settings.brand)),
    }),
  }),
);

/** `/v3alpha/executions`: the first generation, as the interface description shows it. */
export const executionMethodsV3 = [
  actionsV3('SetExecution', 'PUT /v3alpha/executions', 'action.execution.write', {
    request: { condition, targets: list(wire.executionTarget) },
    handle(call, { condition, targets }) {
      refuseIf(targets.length === 0, 'COMMAND-56bteot2uj');
      const entries = targets.flatMap(({ target, include }): ExecutionEntry[] => {
        if (target !== undefined) return [target];
        return include === undefined ? [] : [{ include: conditionId(include) }];
      });
      return instanceDetails(call, setExecution(call, condition, entries, 'v3alpha'));
    },
  }),
  actionsV3('DeleteExecution', 'DELETE /v3alpha/executions', 'action.execution.write', {
    request: { condition },
    bodyOnDelete: true,
    handle(call, { condition }) {
      const row = existing(call.store.executions.delete(conditionId(condition)), 'COMMAND-suq2upd3rt');
      return instanceDetails(call, { ...row, changed: call.store.now() });
    },
  }),
  actionsV3('ListExecutions', 'POST /v3alpha/executions/search', 'action.execution.read', {
    request: { query },
    response: wire.listExecutionsV3Response,
    handle(call, { query }) {
      const found = pageFrom(call.store.executions.list(), pageOf(query, defaultPage));
      return listV1(call, 'executions', found, (row) => ({
        Condition: row.condition,
        details: instanceDetails(call, row),
        targets: row.targets.map((entry) =>
          typeof entry === 'string'
            ? { target: entry }
            : { include: call.store.executions.get(entry.include)?.condition },
        ),
      }));
    },
  }),
];

/** Replaces what was set for the condition. Setting the same again changes nothing. */
function setExecution(
  { store, names }: Call,
  condition: Condition | undefined,
  targets: readonly ExecutionEntry[],
  generation: Generation,
) {
  const id = conditionId(condition);
  const now = store.now();
  const { by, name } = partsOf(condition);
  if (names.knows[by]?.(name) === false) throw refusal(unknownNames[by]!);
  const own = targetIds({ targets });
  refuseIf(new Set(own).size < own.length || !own.every(store.targets.has), 'COMMAND-17e8fq1ggk');
  for (const entry of targets) {
    refuseIf(typeof entry !== 'string' && !store.executions.has(entry.include), 'COMMAND-slgj0l4cdz');
  }
  const before = store.executions.get(id);
  if (before?.generation === generation && isDeepStrictEqual(before.targets, targets)) return before;
  return store.executions.put({
    id,
    // A group is stored, and read back, without its `.*`.
    condition:
      condition?.event?.group === undefined
        ? condition!
        : { event: { group: ofGroup(condition.event.group) } },
    generation,
    targets,
    created: before?.created ?? now,
    changed: now,
    sequence: (before?.sequence ?? 0) + 1,
  });
}

/** Returns the ids of the execution's own targets, without included ones. */
const targetIds = ({ targets }: Pick<ExecutionRow, 'targets'>) =>
  targets.filter((entry) => typeof entry === 'string');

const saysNothing: Readonly<Record<string, ServiceErrorId>> = {
  request: 'COMMAND-3tkej630e6',
  response: 'COMMAND-3tkej630e6',
  event: 'COMMAND-w5smb6v7qu',
};

function partsOf(condition: Condition = {}) {
  const parts = splitCondition(condition);
  if (parts !== undefined && parts.by !== '') return parts;
  throw refusal(saysNothing[parts?.kind ?? ''] ?? 'ACTION-5r5Ju');
}

/**
 * Returns the id of an execution: `request/zitadel.user.v2.UserService/AddHumanUser`, `request/<service>` or `request`,
 * the same for `response`; `function/<name>`; `event/<type>`, `event/<group>.*` or `event`. Names are not looked up.
 */
function conditionId(condition: Condition | undefined) {
  const { kind, by, name } = partsOf(condition);
  if (by === 'all') return kind;
  return `${kind}/${by === 'group' ? `${ofGroup(name)}.*` : canonicalName(name).replace(/^\//, '')}`;
}

/** The service's 404 for each kind of name that it does not know. */
const unknownNames: Readonly<Record<string, ServiceErrorId>> = {
  method: 'COMMAND-vysplsevt8',
  service: 'COMMAND-qu6dfhiioq',
  name: 'COMMAND-cdy39t0ksr',
  event: 'COMMAND-74aaqj8fv9',
  group: 'COMMAND-er5oneb5lz',
};
