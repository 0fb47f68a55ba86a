import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { format, resolveConfig } from 'prettier';
import type { Api } from '../audience/api.js';
import type { Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Product, Servers } from '../product.js';
import {
  normalized,
  planPage,
  Recorder,
  wholeScans,
  type PageHead,
  type Recorded,
  type Section,
} from './recorder.js';

const restMs = 300;
const overTheBusMs = 3_000;
const checkEveryMs = 200;
const noneMs = 120_000;

type RecordedService = 'contacts' | 'campaigns' | 'workflows';

/** One call of the front door, and what is waited for before the next one. */
export interface Step {
  name: string;
  method: string;
  path: string;
  body?: object | undefined;
  /** Instead of a body in JSON. */
  csv?: string;
  /** It answers a condition for all contacts, and is meant to. */
  readsAll?: boolean;
  /** What follows comes over the bus, and is recorded, too. */
  waits?: boolean;
  /** What comes before it and is no part of it. */
  prepare?: () => Promise<unknown>;
  settle?: () => Promise<unknown>;
}

export interface Made {
  id: string;
}

const step =
  (method: string) =>
  (name: string, path: string, body?: object): Step => ({ name, method, path: `/api/v1/${path}`, body });
export const read = step('GET');
export const post = step('POST');
export const put = step('PUT');
export const patch = step('PATCH');
export const remove = step('DELETE');
/** By the surface that counts all of a list. */
export const legacy = (name: string, path: string, method = 'GET', body?: object): Step => ({
  name,
  method,
  path: `/api/${path}`,
  body,
});
export const followed = (each: Step, settle?: () => Promise<unknown>): Step => ({
  ...each,
  waits: true,
  ...(settle ? { settle } : {}),
});

interface RecordedRun {
  services: readonly [RecordedService, ...RecordedService[]];
  page: string;
  head: PageHead;
  api: Api;
  /** What has to be made for them is not recorded. */
  steps: () => Promise<Step[]>;
  /** Of tables that hold several things, the rows of one of them: a request reads no half of it. */
  parts?: Readonly<Record<string, number>>;
}

/** By the name of the service, the rows of its tables. */
type Sizes = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Writes every statement of the services with its plan to a page, and fails where a call reads a whole table that is not meant to. */
export async function recordPlans(
  { servers, readers }: Bench,
  product: Product,
  { services, page, head, api, steps, parts = {} }: RecordedRun,
): Promise<void> {
  await inDatabase(servers.databaseUrl, (client) => Recorder.prepare(client, services));
  for (const service of services) await product.restart(service, {});
  const { sections, faults } = await inDatabase(
    databaseOf(servers.databaseUrl, services[0]),
    async (client) => {
      const recorder = new Recorder(client);
      readers.add(recorder.read);
      const plans = new Plans(recorder, await sizesOf(servers, services, parts));
      const all = await steps();
      await recorder.take();
      for (const each of all) {
        await each.prepare?.();
        await plans.of(each, () => send(api, each));
      }
      readers.delete(recorder.read);
      return plans;
    },
  );
  if (sections.every(({ statements }) => statements.length === 0))
    throw new Error('no statement was recorded');
  await write(page, head, sections);
  for (const each of faults) console.error(each);
  if (faults.length > 0) throw new Error(`${faults.length} calls failed, or asked what reads a whole table`);
}

class Plans {
  readonly sections: Section[] = [];
  readonly faults: string[] = [];
  private readonly known = new Map<string, Section['statements'][number]>();

  constructor(
    private readonly recorder: Recorder,
    private readonly sizes: Sizes,
  ) {}

  /** A call that fails is told of at the end, beside what it asked. */
  async of(step: Step, request: () => Promise<void>): Promise<void> {
    await request().catch((error: Error) => this.faults.push(`${step.name}: ${error.message}`));
    const call = `\`${step.method} ${step.path.split('?')[0]}\``;
    const section: Section = { name: step.name, call, statements: [] };
    for (const recorded of await this.recorder.take()) this.take(recorded, section, step);
    this.sections.push(section);
  }

  private take(recorded: Recorded, { name, statements }: Section, { readsAll }: Step): void {
    const key = normalized(recorded.sql);
    const before = this.known.get(key);
    if (before) {
      before.times += 1;
      if (recorded.ms > before.ms) Object.assign(before, recorded);
    } else {
      const statement = { ...recorded, times: 1 };
      this.known.set(key, statement);
      statements.push(statement);
    }
    if (readsAll) return;
    for (const scan of wholeScans(recorded.plan, this.sizes.get(recorded.service) ?? new Map()))
      this.faults.push(`${name}: ${scan}: ${key.slice(0, 200)}`);
  }
}

async function send(api: Api, { method, path, body, csv, waits, settle }: Step): Promise<void> {
  const sent = csv ?? (body && JSON.stringify(body));
  const headers = {
    ...api.headers,
    ...(sent ? { 'content-type': csv ? 'text/csv' : 'application/json' } : {}),
  };
  const answer = await fetch(`${api.url}${path}`, { method, headers, ...(sent ? { body: sent } : {}) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 500)}`);
  await delay(waits ? overTheBusMs : restMs);
  await settle?.();
}

async function sizesOf(
  { databaseUrl }: Servers,
  services: readonly string[],
  parts: Readonly<Record<string, number>>,
): Promise<Sizes> {
  const sizes = new Map<string, Map<string, number>>();
  for (const service of services) {
    const rows = await inDatabase(databaseOf(databaseUrl, service), async (client) => {
      const found = await client.query<{ name: string; rows: number }>(
        `SELECT relname AS name, reltuples::float8 AS rows FROM pg_class WHERE relkind IN ('r', 'p')`,
      );
      return found.rows;
    });
    sizes.set(service, new Map(rows.map(({ name, rows: size }) => [name, parts[name] ?? size])));
  }
  return sizes;
}

async function write(page: string, head: PageHead, sections: Section[]): Promise<void> {
  const text = await format(planPage(head, sections), { ...(await resolveConfig(page)), filepath: page });
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, text);
  console.log(
    `${sections.reduce((sum, { statements }) => sum + statements.length, 0)} statements of ${sections.length} requests are written to ${page}`,
  );
}

/** What is in use is not deleted, so each of these is looked for in campaigns and workflows. */
export async function deletionsOfUnused(api: Api): Promise<Step[]> {
  const [list, segment, template] = [
    await api.post<Made>('/api/v1/lists', { name: 'Gone soon' }),
    await api.post<Made>('/api/v1/segments', { name: 'Gone soon', type: 'STATIC' }),
    await api.post<Made>('/api/v1/templates', { name: 'Gone soon', subject: 'Hi', body: '<p>Hi</p>' }),
  ];
  return [
    remove('deletion of a list', `lists/${list.id}`),
    remove('deletion of a segment', `segments/${segment.id}`),
    remove('deletion of a template', `templates/${template.id}`),
  ];
}

/** Waits until nothing of this id is left. */
export const untilNone = (client: pg.Client, sql: string, id: string) => async (): Promise<void> => {
  for (const deadline = performance.now() + noneMs; ; await delay(checkEveryMs)) {
    if ((await client.query(sql, [id])).rowCount === 0) return;
    if (performance.now() > deadline) throw new Error(`after ${noneMs} ms there is still something: ${sql}`);
  }
};
