/** Scans a file of organizations once: which organizations it holds, and how many entries of each list. */
import { createHash } from 'node:crypto';
import { InputError } from '../../errors.ts';
import { DurationError, formatDuration, parseDuration } from '../../lib/go-duration.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, isObject } from '../../lib/json-value.ts';
import { parseElements } from '../../json/parse.ts';
import { scanJson, type ScanItem } from '../../json/scan.ts';
import { entryKinds, firstFormMembers } from '../../wire/org-entries.ts';
import {
  formOf,
  listNames,
  memberNames,
  nameOf,
  orgEnd,
  pathsOf,
  timeoutPath,
  type BodyForm,
} from './layout.ts';

export interface OrgScan {
  readonly orgId: string;
  /** Its name, where the body gives one: then the service can create it. */
  readonly name: string;
  readonly domains: readonly string[];
  /** Entries by list; a group (`org`, `policies`) counts as one where any of its members is there. */
  readonly counts: ReadonlyMap<string, number>;
}

export interface BodyScan {
  readonly form: BodyForm;
  /** The data is of the first major version. */
  readonly firstForm: boolean;
  /** Go's normal form; undefined where the file says nothing. */
  readonly timeout: string | undefined;
  readonly orgs: readonly OrgScan[];
  /** Entries by list over all organizations, in the order of the service. Lists without entries are absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Of the plain bytes. */
  readonly sha256: string;
  readonly bytes: number;
}

interface OrgDraft {
  orgId: string;
  name: string;
  domains: string[];
  counts: Map<string, number>;
}

/**
 * Throws `InputError` for what is not JSON, has no organizations, or has one without an id. `onBytes` is reported how
 * far it has come. What stands inside the entries of the lists is not looked at yet.
 */
export async function scanBody(input: Input, onBytes: (bytes: number) => void = ignore): Promise<BodyScan> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const block of input.blocks()) {
      hash.update(block);
      bytes += block.length;
      onBytes(input.taken());
      yield block;
    }
  }
  const draft = new ScanDraft(input.name);
  const options = {
    arrays: pathsOf([...listNames, orgEnd]),
    fields: [timeoutPath, ...pathsOf(['orgId'])],
    values: pathsOf(memberNames),
  };
  for await (const item of scanJson(input.name, hashed(), options)) draft.take(item);
  return { ...draft.finish(), sha256: hash.digest('hex'), bytes };
}

class ScanDraft {
  readonly #input: string;
  #form: BodyForm | undefined;
  #timeout: string | undefined;
  #firstForm = false;
  readonly #orgs: OrgDraft[] = [];
  #org = emptyOrg();
  #list = '';

  constructor(input: string) {
    this.#input = input;
  }

  take(item: ScanItem): void {
    if (item.kind === 'field') this.#takeField(item.path, item.value);
    else if (item.kind === 'value') this.#takeMember(nameOf(item.path), item.bytes);
    else if (item.kind === 'open') this.#list = nameOf(item.path);
    else if (item.kind === 'batch') this.#addBatch(item.bytes, item.count);
    else if (item.kind === 'absent') this.#takeAbsent(item.path, item.found);
  }

  finish(): Omit<BodyScan, 'sha256' | 'bytes'> {
    if (this.#form === undefined || this.#orgs.length === 0) throw noOrgs(this.#input);
    const counts = new Map<string, number>();
    for (const { name } of entryKinds) {
      const sum = this.#orgs.reduce((sum, org) => sum + (org.counts.get(name) ?? 0), 0);
      if (sum > 0) counts.set(name, sum);
    }
    const firstForm = this.#firstForm || this.#form === 'body-v1';
    return { form: this.#form, firstForm, timeout: this.#timeout, orgs: this.#orgs, counts };
  }

  #takeField(path: readonly string[], value: unknown): void {
    if (nameOf(path) === 'timeout') {
      this.#timeout = readTimeout(this.#input, value);
    } else if (typeof value === 'string') {
      this.#org.orgId = value;
    } else {
      throw new InputError('input:org', this.#input, 'the id of an organization is not a text', {
        hint: 'Ids are texts in quotes, because they are longer than numbers can be.',
      });
    }
  }

  #takeMember(name: string, bytes: Uint8Array): void {
    const value = parseMember(this.#input, name, bytes);
    if (value === null) return;
    if (name === 'org' && typeof value === 'object') {
      const given = (value as Record<string, unknown>)['name'];
      if (typeof given === 'string') this.#org.name = given;
    }
    if (firstFormMembers.includes(name)) this.#firstForm = true;
    const group = entryKinds.find(({ members }) => members?.includes(name) === true);
    if (group !== undefined) this.#org.counts.set(group.name, 1);
  }

  #takeAbsent(path: readonly string[], found: string): void {
    if (nameOf(path) === orgEnd && found === 'missing') {
      this.#closeOrg(path);
    } else if (found !== 'missing' && found !== 'null') {
      throw new InputError('input:org', this.#input, `${nameOf(path)} is ${article(found)}, not a list`);
    }
  }

  /** The end of an organization is reported once, by the form that the sign has. */
  #closeOrg(path: readonly string[]): void {
    // Every file ends so; only of an organization that stands alone has anything come up.
    if (path.length === 1 && this.#org.orgId === '') return;
    this.#form ??= formOf(path);
    if (this.#org.orgId === '') {
      throw new InputError('input:org', this.#input, `organization ${this.#orgs.length + 1} has no orgId`, {
        hint: 'Give each organization the id that it has, or will have, at the target.',
      });
    }
    this.#orgs.push(this.#org);
    this.#org = emptyOrg();
  }

  #addBatch(bytes: Uint8Array, count: number): void {
    const { counts, domains } = this.#org;
    counts.set(this.#list, (counts.get(this.#list) ?? 0) + count);
    if (this.#list !== 'domains') return;
    for (const entry of parseElements(bytes)) {
      const name = isObject(entry) ? firstText(entry, 'domainName', 'domain_name') : '';
      if (name !== '') domains.push(name);
    }
  }
}

function emptyOrg(): OrgDraft {
  return { orgId: '', name: '', domains: [], counts: new Map() };
}

function parseMember(input: string, name: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new InputError('input:syntax', input, `${name} of an organization is not JSON`);
  }
}

function readTimeout(input: string, value: unknown): string {
  try {
    return formatDuration(parseDuration(String(value)));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new InputError('input:timeout', input, `its timeout is not one: ${error.message}`, {
      hint: 'Write it like 30m0s, or give --timeout.',
    });
  }
}

function noOrgs(input: string): InputError {
  return new InputError('input:org', input, 'there are no organizations in it', {
    hint:
      'An import takes what `idport migrate` writes ({"dataOrgs":{"orgs":[...]}}), or an export ({"orgs":[...]}). ' +
      'Convert the export of another provider with `idport migrate` first.',
  });
}

function article(found: string): string {
  return /^[aeiou]/.test(found) ? `an ${found}` : `a ${found}`;
}

function ignore(): void {}
