import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { streamOf } from '@posthorn/contracts';
import { BusConnection } from '@posthorn/messaging';
import { readSinkLedger } from '../../judging/ledger.js';
import { services } from '../../judging/records.js';
import { workLeft } from '../../judging/work-books.js';
import { untilQuiet } from '../../product.js';
import { judgeRest, unfinishedOf } from '../rest.js';
import { reportedLater, runSuite, type Stage, type SuiteOptions, type Verdict } from '../suite.js';
import { Tenant } from '../tenant.js';
import { figuresOf, judgeCluster, linesOf, type NodeStrike, type StreamBooks } from './judge-cluster.js';

const replicas = { sending: 2, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 };
const environment = { NATS_REPLICAS: '3' };
/** Longer than the election of a leader takes, and than the relay goes without a look at its stream. */
const downMs = 12_000;
const restMs = 3_000;
const settleSeconds = 150;

/** Mail at a steady rate, while servers of a NATS cluster are killed. */
export const runCluster = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'cluster', replicas, environment, clustered: true }, async (stage) => {
    const tenant = await Tenant.create(stage, 'clustered');
    const load = new SteadyLoad(tenant, 1_000 / Math.max(1, options.ratePerSecond));
    const running = reportedLater(load.run());
    await delay(restMs);
    const before = await booksOf(stage, tenant);
    const strikes: NodeStrike[] = [];
    for (const nodes of [[0], [1], [2], [0, 1]]) strikes.push(await strike(stage, nodes, { wiped: false }));
    await load.paused(async () => {
      await untilQuiet(() => unfinishedOf(tenant), settleSeconds);
    });
    const afterLeaders = await booksOf(stage, tenant);
    strikes.push(await strike(stage, [0, 1, 2], { wiped: true }));
    load.stop();
    await running;
    await stage.processes.untilAllReady();
    await untilQuiet(() => unfinishedOf(tenant), settleSeconds);
    return verdict({ stage, tenant, strikes, before, afterLeaders });
  });

/** Repeats each send until it is answered, and begins the next one in time all the same. */
class SteadyLoad {
  private stopped = false;
  private resting: Promise<void> | null = null;
  private readonly sends = new Set<Promise<void>>();
  private count = 0;

  constructor(
    private readonly tenant: Tenant,
    private readonly everyMs: number,
  ) {}

  async run(): Promise<void> {
    while (!this.stopped) {
      if (this.resting) await this.resting;
      const to = `ok+${this.count++}@sink.test`;
      const send = this.tenant.sendSurely({ to, subject: 'Clustered', body: '<p>Hello</p>' });
      this.sends.add(send);
      void send.finally(() => this.sends.delete(send));
      await delay(this.everyMs);
    }
    await Promise.all(this.sends);
  }

  /** While books are compared, nothing may be under way. */
  async paused(work: () => Promise<void>): Promise<void> {
    this.resting = Promise.all(this.sends).then(work);
    await this.resting;
    this.resting = null;
  }

  stop(): void {
    this.stopped = true;
  }
}

async function strike(
  { fixture: { cluster } }: Stage,
  nodes: readonly number[],
  { wiped }: { wiped: boolean },
): Promise<NodeStrike> {
  const from = performance.now();
  await Promise.all(nodes.map((node) => cluster.kill(node, { wiped })));
  // With no server at all, nothing can be accepted.
  if (nodes.length < 3) await delay(downMs);
  const returning = performance.now();
  await Promise.all(nodes.map((node) => cluster.startNode(node)));
  await cluster.formed();
  await delay(restMs);
  const kind = `${nodes.length === 3 ? 'all' : `node ${nodes.join(' and ')}`}${wiped ? ' wiped' : ''}`;
  console.log(`struck: ${kind}`);
  return { kind, from: nodes.length < 3 ? from : returning, to: performance.now() };
}

/** What each service has published, and what its stream holds. */
async function booksOf({ fixture }: Stage, { records }: Tenant): Promise<StreamBooks[]> {
  const bus = await BusConnection.open({ url: fixture.natsUrl, name: 'books' });
  try {
    return await Promise.all(
      services.map(async (service) => {
        const known = await records.query<{ generation: number; published: number }>(
          service,
          `SELECT (SELECT generation::int FROM event_streams) AS generation,
                  (SELECT count(*)::int FROM outbox WHERE published_at IS NOT NULL) AS published`,
        );
        return { service, ...known[0]!, ids: await messageIds(bus, streamOf(service)) };
      }),
    );
  } finally {
    await bus.close();
  }
}

async function messageIds({ nats }: BusConnection, name: string): Promise<string[]> {
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const { state } = await streams.info(name).catch(() => ({ state: { messages: 0 } }));
  if (state.messages === 0) return [];
  const ids: string[] = [];
  const consumer = await jetstream(nats).consumers.get(name, { headers_only: true });
  for await (const { headers, info } of await consumer.consume()) {
    ids.push(headers?.get('Nats-Msg-Id') ?? '');
    if (info.pending === 0) break;
  }
  return ids;
}

interface Run {
  stage: Stage;
  tenant: Tenant;
  strikes: readonly NodeStrike[];
  before: readonly StreamBooks[];
  afterLeaders: readonly StreamBooks[];
}

async function verdict({ stage, tenant, strikes, before, afterLeaders }: Run): Promise<Verdict> {
  const { accepted, unanswered } = tenant;
  const sink = readSinkLedger(stage.fixture.sinkLedger).map(({ to }) => to);
  const books = { strikes, before, afterLeaders, accepted, unanswered, sink };
  const [unfinished, work] = await Promise.all([unfinishedOf(tenant), workLeft(tenant.records)]);
  const rest = await judgeRest({ stage, tenant, unfinished, work, strikes: strikes.length });
  tenant.close();
  return {
    lines: linesOf(books),
    figures: { sends: accepted.length, strikes: strikes.length, ...figuresOf(books) },
    findings: [...judgeCluster(books), ...rest],
  };
}
