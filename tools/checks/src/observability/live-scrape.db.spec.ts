import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startableServices } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { Product } from '../../../trace/src/product.js';
import { alertsOf, expressionsOf } from './findings.js';
import { knownMetrics, ourMetrics, type KnownMetrics } from './known-metrics.js';
import { requestedBy } from './promql.js';

/** What has no series before something is refused or fails. */
const rare = [
  'posthorn_system_mails_dropped_total',
  'posthorn_bus_call_failures_total',
  'posthorn_dead_letters',
  // Nor before a bounce arrives by mail.
  'posthorn_mail_reports_total',
  // Nor before a mail server asks for less.
  'posthorn_slow_downs_total',
];

interface Series {
  name: string;
  labels: string[];
}

interface Scrape {
  series: Series[];
  kinds: Map<string, string>;
}

let product: Product;
let known: KnownMetrics;
let scrapes: Map<string, Scrape>;
const all = () => [...scrapes.values()].flatMap(({ series }) => series);

beforeAll(async () => {
  [product, known] = await Promise.all([
    Product.start(['--services'], { RATE_LIMIT_SECRET_PER_SECOND: '1' }),
    knownMetrics(),
  ]);
  await product.send('somebody@example.com');
  // One a second may pass.
  await eventually(
    () =>
      product
        .send('somebody-else@example.com')
        .then(() => false)
        .catch((error: Error) => /429/.test(error.message)),
    'a refusal',
  );
  await eventually(
    () =>
      product.send('success@simulator.posthorn.test').then(
        () => true,
        () => false,
      ),
    'a message that is reported about',
  );
  const wanted = (await ourMetrics())
    .map(({ name, kind }) => (kind === 'histogram' ? `${name}_count` : name))
    .filter((name) => !rare.includes(name));
  // Subscribers look at their lag every two seconds, and what was sent is on its way.
  await eventually(async () => {
    scrapes = await scrapeAll();
    const there = new Set(all().map(({ name }) => name));
    return wanted.every((name) => there.has(name));
  }, 'every metric has a series');
});
afterAll(() => product.stop());

async function scrapeAll(): Promise<Map<string, Scrape>> {
  const requested = product.adminPorts.map(async ({ name, adminPort }): Promise<[string, Scrape]> => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
    return [name, read(await response.text())];
  });
  return new Map(await Promise.all(requested));
}

function read(text: string): Scrape {
  const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]));
  const series = [...text.matchAll(/^([a-z_]\w*)\{(.*)\} \S+$/gm)].map(([, name, labels]) => ({
    name: name!,
    labels: [...labels!.matchAll(/(\w+)="/g)].map(([, label]) => label!),
  }));
  return { kinds, series };
}

describe('the metrics of all services, as they are scraped', () => {
  it('come from all of them', () => {
    expect([...scrapes.keys()].sort()).toEqual([...startableServices()].sort());
    for (const { series } of scrapes.values())
      expect(series.map(({ name }) => name)).toContain('posthorn_outbox_age_seconds');
  });

  it('are what is declared: each name, each label and each kind', async () => {
    const unknown = all().flatMap(({ name, labels }) =>
      labels.filter((label) => !known.get(name)?.has(label)).map((label) => `${name} ${label}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
    const kinds = new Map([...scrapes.values()].flatMap((scrape) => [...scrape.kinds]));
    for (const { name, kind } of await ourMetrics()) expect([name, kinds.get(name)]).toEqual([name, kind]);
  });

  it('answer whatever the board and the alerts ask', () => {
    const rules = alertsOf(readFileSync('deploy/observability/alerts.yaml', 'utf8')).map(({ expr }) => expr);
    const board = expressionsOf(readFileSync('deploy/observability/board.json', 'utf8')).map(
      ({ expr }) => expr,
    );
    const requested = new Set(
      [...rules, ...board].flatMap((expr) => requestedBy(expr).metrics.map(({ name }) => name)),
    );
    const there = new Set([...all().map(({ name }) => name), ...rare, 'up']);
    expect([...requested].filter((name) => !there.has(name))).toEqual([]);
  });
});
