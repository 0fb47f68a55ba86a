import { setTimeout as delay } from 'node:timers/promises';
import { emailIdOf, readSinkLedger } from '../judging/ledger.js';
import type { Records } from '../judging/records.js';
import { untilQuiet } from '../product.js';
import { Random } from '../random.js';
import {
  judgeProviderEvents,
  unfinishedReports,
  type Interruptions,
  type ReportedMail,
} from './judge-provider-events.js';
import { reportedLater, runSuite, type Stage, type SuiteOptions } from './suite.js';
import { inTurns, Tenant } from './tenant.js';

const replicas = { sending: 2, contacts: 1, analytics: 2, campaigns: 1, workflows: 1, gateway: 2 };
const hookSecret = 'of-the-provider';
const environment = {
  SMTP_ACCEPT_IS_DELIVERY: 'false',
  SIMULATOR: 'true',
  BREVO_HOOK_SECRET: hookSecret,
  // A message of unknown outcome waits for its report.
  AMBIGUOUS_SECONDS: '15',
};
const faultEveryMs = 900;
const settleSeconds = 150;
const lookMs = 300;
const reportersAtOnce = 8;
const repeatMs = 250;
const struck = ['sending', 'sending', 'gateway', 'analytics', 'contacts'] as const;

/** What the provider reports about one message, in order; most messages are delivered. */
const stories: readonly (readonly string[])[] = [
  ['delivered'],
  ['delivered'],
  ['request', 'delivered'],
  ['deferred', 'delivered'],
  ['deferred', 'soft_bounce'],
  ['hard_bounce'],
  ['delivered', 'hard_bounce'],
  ['delivered', 'spam'],
  ['blocked'],
];

/** Processes and servers are killed while a provider reports, repeats what was not answered with 200, and reports some events twice and out of order. */
export const runProviderEvents = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'provider-events', replicas, environment }, async (stage) => {
    const tenant = await Tenant.create(stage, 'reported');
    const simulated = Array.from({ length: Math.ceil(options.sends / 10) }, (_, index) => ({
      to: `${stage.random.pick(['success', 'bounce', 'softbounce', 'delay', 'reject'])}+${index}@simulator.posthorn.test`,
    }));
    const real = Array.from({ length: options.sends - simulated.length }, (_, index) => ({
      to: `ok+${index}@sink.test`,
    }));
    const faults = reportedLater(killAll(stage, tenant.records));
    const reporting = new Reporting(stage);
    const reports = reportedLater(reporting.run());
    const mails = stage.random.shuffled([...real, ...simulated]);
    const everyMs = (options.faults * faultEveryMs) / mails.length;
    const sends: Promise<void>[] = [];
    for (const { to } of mails) {
      sends.push(tenant.sendSurely({ to, subject: 'Reported', body: '<p>Hello</p>' }));
      await delay(everyMs);
    }
    await Promise.all(sends);
    const interruptions = await faults;
    await stage.processes.untilAllReady();
    await untilQuiet(() => unfinishedReports(tenant), settleSeconds);
    reporting.stop();
    await reports;
    await untilQuiet(() => unfinishedReports(tenant), settleSeconds);
    const verdict = await judgeProviderEvents(stage, tenant, { reported: reporting.reported, interruptions });
    tenant.close();
    return verdict;
  });

/** Returns what was interrupted by it. */
async function killAll(
  { options, processes, fixture, random }: Stage,
  records: Records,
): Promise<Interruptions> {
  const [claimed, handedOff] = [new Map<string, number>(), new Map<string, number>()];
  const count = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);
  const countInterrupted = async () => {
    for (const { id, state } of await records.inWork()) {
      count(claimed, id);
      if (state === 'HANDOFF') count(handedOff, id);
    }
  };
  for (let index = 0; index < options.faults; index += 1) {
    await delay(faultEveryMs);
    const strikesServer = index % 13 === 12 || index % 13 === 6;
    // A process that starts while a server is away ends at once, which would look like a crash.
    if (strikesServer) await processes.untilAllReady();
    if (index % 13 === 12) {
      await fixture.crashPostgres(500);
      await countInterrupted();
    } else if (strikesServer) await fixture.killNats(500, { wipe: random.chance(0.5) });
    else {
      const service = random.pick(struck);
      processes.signal(random.pick(processes.names(service)), 'SIGKILL');
      if (service === 'sending') await countInterrupted();
    }
  }
  return { claimed, handedOff };
}

/** The provider: it reads what came to the mail server, and reports about it until it is answered. */
class Reporting {
  readonly reported = new Map<string, ReportedMail>();
  private ended = false;
  private requests = 0;

  constructor(private readonly stage: Stage) {}

  stop(): void {
    this.ended = true;
  }

  async run(): Promise<void> {
    for (;;) {
      const last = this.ended;
      const lines = readSinkLedger(this.stage.fixture.sinkLedger);
      const fresh = new Map(lines.map((line) => [emailIdOf(line), line.to]));
      for (const id of this.reported.keys()) fresh.delete(id);
      const mails = [...fresh].map(([id, to]): ReportedMail => ({ id, to, events: this.storyOf(id) }));
      for (const mail of mails) this.reported.set(mail.id, mail);
      await inTurns(mails, reportersAtOnce, (mail) => this.report(mail));
      if (last) return;
      await delay(lookMs);
    }
  }

  private storyOf(id: string): readonly string[] {
    return Random.named(`${this.stage.options.seed} ${id}`).pick(stories);
  }

  private async report({ id, to, events }: ReportedMail): Promise<void> {
    const random = Random.named(`order ${this.stage.options.seed} ${id}`);
    const repeated = [...events, ...events.filter(() => random.chance(0.4))];
    for (const event of random.shuffled(repeated))
      await this.post({
        event,
        email: to,
        id: 1,
        ts_event: 1_793_613_602,
        'message-id': `<${id}@sink.test>`,
        reason: reasonOf(event),
      });
  }

  private async post(body: object): Promise<void> {
    for (;;) {
      const { gateways } = this.stage.processes;
      const url = gateways[this.requests++ % gateways.length]!;
      const answer = await fetch(`${url}/hooks/provider/brevo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${hookSecret}` },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      await answer?.body?.cancel().catch(() => undefined);
      if (answer?.status === 200) return;
      await delay(repeatMs);
    }
  }
}

const reasonOf = (event: string): string | undefined =>
  event === 'hard_bounce' ? '550 5.1.1 unknown' : event === 'soft_bounce' ? '452 4.2.2 full' : undefined;
