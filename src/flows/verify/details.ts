/**
 * People who were found in; their metadata, links and passwords compared out: from an export, else person by person.
 */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatCounted, formatSeconds } from '../../lib/quantity.ts';
import { sideBySide } from '../concurrency/for-each-concurrent.ts';
import { Width } from '../concurrency/concurrency.ts';
import { ask, concernsAll } from './ask.ts';
import type { Expectations } from './expected-users.ts';
import { detailFields, type DetailField } from './fields.ts';
import { seeExport } from './read-export.ts';

export interface DetailsRequest {
  readonly client: Client;
  readonly orgs: readonly string[];
  readonly people: Expectations;
  /** Of people whose source has any of it, or of everybody. */
  readonly whom: 'source' | 'all';
  readonly withExport: boolean;
  /** The number of a person and the id in the source, in order; read only where somebody has to be asked for. */
  readonly ids: () => AsyncIterable<readonly [person: number, id: string]>;
  /** Requests under way at most, and requests a second at most. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
}

export interface DetailsContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A password that the list has proven is not asked for. */
export async function compareDetails(request: DetailsRequest, context: DetailsContext): Promise<void> {
  const { client, orgs, people, withExport, whom } = request;
  const refused = withExport ? await seeExports(client, orgs, people) : undefined;
  for (const person of found(people)) {
    if (people.isExported(person)) people.compareExported(person);
  }
  const plan = (person: number): DetailField[] =>
    detailFields.filter((field) => {
      if (field === 'password') return people.wants(person, field) && !people.hasPassword(person);
      if (field === 'links' && people.isMachine(person)) return false;
      return whom === 'all' || people.wants(person, field);
    });
  await askOneByOne(request, plan, refused, context);
}

function* found(people: Expectations): Generator<number> {
  for (let person = 0; person < people.size; person++) if (people.isFound(person)) yield person;
}

/** Why the service does not give all of them; undefined where it does. */
async function seeExports(
  client: Client,
  orgs: readonly string[],
  people: Expectations,
): Promise<ApiError | undefined> {
  let refused: ApiError | undefined;
  for (const [number, org] of orgs.entries()) {
    const error = await seeExport(client, org, number, people);
    if (error !== undefined && error.verdict !== 'refused' && error.verdict !== 'too-large') throw error;
    refused ??= error;
    // Who may not export one may export none; only the size is a matter of each.
    if (error?.verdict === 'refused') break;
  }
  return refused;
}

async function askOneByOne(
  request: DetailsRequest,
  plan: (person: number) => readonly DetailField[],
  refused: ApiError | undefined,
  { emit, clock, signal }: DetailsContext,
): Promise<void> {
  const { client, orgs, people, concurrency, perSecond } = request;
  const { asked, requests } = countCalls(people, plan);
  if (asked === 0) return;
  tellCost({ asked, requests, refused, perSecond }, emit);
  emit({ type: 'run:start', verb: 'verify', inputs: ['person by person'], bytes: undefined, records: asked });
  const refusals = new Refusals(emit);
  const width = new Width({ clock, cap: concurrency, perSecond });
  let done = 0;
  const work = async ([person, id]: readonly [number, string]): Promise<void> => {
    const org = orgs[people.orgOf(person)]!;
    for (const field of plan(person)) {
      if (refusals.holds(org, field)) {
        people.doubt(person, field);
        continue;
      }
      try {
        const entries = await ask[field]({ client, org, id: people.targetId(person, id) });
        people.compareDetail(person, field, entries);
        width.answered();
      } catch (error) {
        refusals.note(org, field, error);
        people.doubt(person, field);
      }
    }
    done += 1;
    emit({ type: 'run:progress', bytes: 0, records: done });
  };
  await sideBySide(whoIsAsked(request, plan), width, work, () => signal.aborted);
  signal.throwIfAborted();
}

async function* whoIsAsked(
  { ids, people }: DetailsRequest,
  plan: (person: number) => readonly DetailField[],
): AsyncGenerator<readonly [number, string]> {
  for await (const [person, id] of ids()) {
    if (people.isFound(person) && !people.isExported(person) && plan(person).length > 0) yield [person, id];
  }
}

function countCalls(
  people: Expectations,
  plan: (person: number) => readonly DetailField[],
): { asked: number; requests: number } {
  let asked = 0;
  let requests = 0;
  for (const person of found(people)) {
    const calls = people.isExported(person) ? 0 : plan(person).length;
    if (calls > 0) asked += 1;
    requests += calls;
  }
  return { asked, requests };
}

interface Cost {
  readonly asked: number;
  readonly requests: number;
  readonly refused: ApiError | undefined;
  readonly perSecond: number | undefined;
}

function tellCost({ asked, requests, refused, perSecond }: Cost, emit: Emit): void {
  const why =
    refused === undefined ? '' : `The service gives no export (${refused.text || refused.message}). `;
  const time =
    perSecond === undefined
      ? 'as fast as the service answers'
      : `about ${formatSeconds(Math.max(1, requests / perSecond))} at ${perSecond}/s`;
  const text =
    `${why}Metadata, links and passwords of ${formatCounted(asked, 'person', 'people')} are asked for one by one: ` +
    `${formatCounted(requests, 'request')}, ${time}. --details=none leaves that out.`;
  emit({ type: 'notice', level: 'info', code: 'verify:details', text });
}

/** Refusals that hold for everybody of an organization: told once, and not asked for again. */
class Refusals {
  readonly #held = new Set<string>();
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  holds(org: string, field: DetailField): boolean {
    return this.#held.has(`${org}\n${field}`);
  }

  /** Throws on whatever is no refusal. */
  note(org: string, field: DetailField, error: unknown): void {
    if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    if (!concernsAll(error) || this.holds(org, field)) return;
    this.#held.add(`${org}\n${field}`);
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    const what = field === 'password' ? 'Whether people have a password' : `Their ${field}`;
    const text = `${what} cannot be known in organization ${org}: ${error.text || error.message}.${hint}`;
    this.#emit({ type: 'notice', level: 'warning', code: 'verify:unknown', text });
  }
}
