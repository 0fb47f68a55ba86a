import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { format, resolveConfig } from 'prettier';
import type { Api } from '../audience/api.js';
import type { Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Product, Servers } from '../product.js';
import type { Call } from './calls.js';
import { normalized, planPage, type PageHead, type Section } from './plan-page.js';
import { Recorder, type Recorded } from './recorder.js';
import { wholeScans } from './whole-scans.js';

const restMs = 300;
const overTheBusMs = 3_000;

type RecordedService = 'contacts' | 'campaigns' | 'workflows';

/** A call, and what is waited for before the next one. */
export interface Step {
  call: Call;
  /** What comes before it and is no part of it. */
  prepare?: () => Promise<unknown>;
  settle?: () => Promise<unknown>;
}

export interface RecordedRun {
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
      for (const step of all) {
        await step.prepare?.();
        await plans.of(step.call, () => send(api, step));
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
  async of(call: Call, request: () => Promise<void>): Promise<void> {
    await request().catch((error: Error) => this.faults.push(`${call.name}: ${error.message}`));
    const section: Section = {
      name: call.name,
      call: `\`${call.method} ${call.path.split('?')[0]}\``,
      statements: [],
    };
    for (const recorded of await this.recorder.take()) this.take(recorded, section, call);
    this.sections.push(section);
  }

  private take(recorded: Recorded, { name, statements }: Section, { readsAll }: Call): void {
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

async function send(api: Api, { call: { method, path, body, csv, waits }, settle }: Step): Promise<void> {
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
