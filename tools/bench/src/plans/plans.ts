import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { format, resolveConfig } from 'prettier';
import { makeFixtures, untilEvaluated, type TrackedFixture } from '../audience/fixture.js';
import type { Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { Product } from '../product.js';
import { callsOf, type Call } from './asks.js';
import { normalized, planPage, type Section } from './plan-page.js';
import { Recorder, type Recorded } from './recorder.js';
import { wholeScans } from './whole-scans.js';

const page = 'dist/audience-plans.md';
const restMs = 300;
const overTheBusMs = 3_000;

/** Writes every statement of the contacts service with its plan to a page, and fails where a request reads a whole table that is not meant to. */
export async function writePlans({ servers, scale, readers }: Bench): Promise<void> {
  const contacts = scale.audiences.at(-1)!;
  const product = await Product.start(servers);
  try {
    const { tracked } = await makeFixtures(servers, product, contacts);
    await inDatabase(servers.databaseUrl, (client) => Recorder.prepare(client));
    await product.restart('contacts', {});
    const { sections, faults } = await inDatabase(
      databaseOf(servers.databaseUrl, 'contacts'),
      async (client) => {
        const recorder = new Recorder(client);
        readers.add(recorder.read);
        const plans = new Plans(recorder, await sizesOf(client));
        const calls = await callsOf(tracked);
        // What made their ground is no call.
        await recorder.take();
        for (const call of calls)
          await plans.of(call, async () => send(tracked, call, () => untilEvaluated(servers)));
        readers.delete(recorder.read);
        return plans;
      },
    );
    if (sections.every(({ statements }) => statements.length === 0))
      throw new Error('no statement of the service was recorded');
    await write(contacts, sections);
    for (const each of faults) console.error(each);
    if (faults.length > 0)
      throw new Error(`${faults.length} calls failed, or asked what reads a whole table`);
  } finally {
    await product.stop();
  }
}

class Plans {
  readonly sections: Section[] = [];
  readonly faults: string[] = [];
  private readonly known = new Map<string, Section['statements'][number]>();

  constructor(
    private readonly recorder: Recorder,
    private readonly sizes: ReadonlyMap<string, number>,
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
    for (const scan of wholeScans(recorded.plan, this.sizes))
      this.faults.push(`${name}: ${scan}: ${key.slice(0, 200)}`);
  }
}

async function send(
  { api }: TrackedFixture,
  { method, path, body, csv, waits }: Call,
  settle: () => Promise<unknown>,
): Promise<void> {
  const sent = csv ?? (body && JSON.stringify(body));
  const headers = {
    ...api.headers,
    ...(sent ? { 'content-type': csv ? 'text/csv' : 'application/json' } : {}),
  };
  const answer = await fetch(`${api.url}${path}`, { method, headers, ...(sent ? { body: sent } : {}) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 500)}`);
  await delay(waits ? overTheBusMs : restMs);
  await settle();
}

async function sizesOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    `SELECT relname AS name, reltuples::float8 AS rows FROM pg_class WHERE relkind IN ('r', 'p')`,
  );
  return new Map(rows.map(({ name, rows: size }) => [name, size]));
}

async function write(contacts: number, sections: Section[]): Promise<void> {
  const text = await format(planPage(contacts, sections), { ...(await resolveConfig(page)), filepath: page });
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, text);
  console.log(
    `${sections.reduce((sum, { statements }) => sum + statements.length, 0)} statements of ${sections.length} requests are written to ${page}`,
  );
}
