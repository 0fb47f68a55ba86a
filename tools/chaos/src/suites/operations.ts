import { setTimeout as delay } from 'node:timers/promises';
import { overdueMail } from '@posthorn/contracts';
import { emailIdOf, readSinkLedger } from '../judging/sink-ledger.js';
import type { Member } from '../process-group.js';
import { untilQuiet } from '../product.js';
import { dueForChange, lockLikeDump, restoreDayOld, stillDue, takeBackup } from './backup.js';
import { judgeOperations, linesOf, type OperationsEvidence } from './judge-operations.js';
import { LockWatch } from './lock-watch.js';
import { asOperator } from './operator.js';
import { previousRelease } from './previous-release.js';
import { unfinishedOf } from './recount.js';
import { oneOfEach, reportedLater, runSuite, type Stage, type SuiteOptions } from './suite.js';
import { Tenant } from './tenant.js';

const replicas = { ...oneOfEach, sending: 2 };
const restartedUnderLocks: readonly Member[] = ['sending-1', 'contacts-1', 'analytics-1', 'workflows-1'];
const loadEveryMs = 40;
const queuedCount = 150;
const expiredCount = 50;
const newCount = 40;
const settleSeconds = 90;
/** What would leave unasked has left by then. */
const watchMs = 6_000;

type Tenants = Record<'steady' | 'released' | 'dropped' | 'late', Tenant>;

const plain = (to: string) => ({ to, subject: 'Operations', body: `<p>To ${to}</p>` });
const mailTo = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => plain(`${name}-${index}@sink.test`));

/** What operators do: a dump under load, a restore, a long pause, and an upgrade with processes of both releases. */
export const runOperations = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'operations', replicas }, async (stage) => {
    const { fixture } = stage;
    const tenants: Tenants = {
      steady: await Tenant.create(fixture, stage.processes, 'steady'),
      released: await Tenant.create(fixture, stage.processes, 'released'),
      dropped: await Tenant.create(fixture, stage.processes, 'dropped'),
      late: await Tenant.create(fixture, stage.processes, 'late'),
    };
    const dump = await dumpUnderLoad(stage, tenants);
    const restore = await restoreAndRelease(stage, tenants);
    const previous = await runPrevious(stage, tenants);
    const evidence: OperationsEvidence = {
      ...{ dump, restore, previous },
      crashes: stage.crashes,
      sink: readSinkLedger(fixture.sinkLedger),
      late: await tenants.late.records.emails(),
      dropped: await tenants.dropped.records.emails(),
      unanswered: Object.values(tenants).flatMap(({ unanswered }) => unanswered),
    };
    for (const tenant of Object.values(tenants)) tenant.close();
    return {
      lines: linesOf(evidence),
      figures: { waited: dump.waits.longest?.seconds ?? 0, previous: previous.commit },
      findings: judgeOperations(evidence),
    };
  });

/** While everything is locked as pg_dump locks it, partitions are due to be made and dropped, and services start. */
async function dumpUnderLoad(stage: Stage, { steady }: Tenants): Promise<OperationsEvidence['dump']> {
  const { records } = steady;
  const due = await dueForChange(records);
  const waits = new LockWatch(stage.fixture.databaseUrl);
  const slowest = { ms: 0 };
  let isOver = false;
  const load = reportedLater(
    (async () => {
      for (let index = 0; !isOver; index += 1) {
        const began = performance.now();
        await steady.sendSurely(plain(`steady-${index}@sink.test`));
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
        await delay(loadEveryMs);
      }
    })(),
  );
  const unlock = await lockLikeDump(records);
  for (const member of restartedUnderLocks) {
    await stage.processes.leave(member);
    await stage.processes.untilAllReady();
  }
  const dueUnderLocks = await stillDue(records, due);
  const slowestMs = slowest.ms;
  await unlock();
  for (const member of [
    'sending-2',
    ...restartedUnderLocks.slice(1),
    'campaigns-1',
    'gateway-1',
  ] as Member[]) {
    await stage.processes.leave(member);
    await stage.processes.untilAllReady();
  }
  isOver = true;
  await load;
  await waits.stop();
  await untilQuiet(() => unfinishedOf([steady]), settleSeconds);
  const left = await stillDue(records, due);
  return { waits, slowestMs, due: due.size, dueUnderLocks: dueUnderLocks.length, left };
}

async function renew(stage: Stage, tenants: Tenants, environment?: Record<string, string>): Promise<void> {
  await stage.start({ replicas, environment });
  for (const tenant of Object.values(tenants)) tenant.moveTo(stage.processes);
}

/** Mail waits, a backup is made, the mail leaves, and the backup takes its place a day later. */
async function restoreAndRelease(stage: Stage, tenants: Tenants): Promise<OperationsEvidence['restore']> {
  const { fixture } = stage;
  const { released, dropped, late } = tenants;
  await stage.processes.leaveAll();
  await renew(stage, tenants, { DELIVERY_PAUSED: 'true' });
  await released.sendBatches(mailTo('released', queuedCount));
  await dropped.sendBatches(mailTo('dropped', queuedCount));
  await late.sendBatches(mailTo('late', expiredCount));
  await untilQuiet(async () => ({ outbox: await late.records.unpublished() }), settleSeconds);
  await stage.processes.leaveAll();
  await takeBackup(fixture.databaseUrl);
  await late.records.query(
    'sending',
    `UPDATE deliveries SET due_at = due_at - interval '25 hours', expires_at = expires_at - interval '25 hours' WHERE project_id = $1`,
    [late.projectId],
  );
  await renew(stage, tenants);
  await untilQuiet(() => unfinishedOf([released, dropped, late]), settleSeconds);
  const lateBefore = (await late.records.emails()).map(
    ({ status, failureKind }) => `${status} ${failureKind}`,
  );
  await stage.processes.leaveAll();
  await restoreDayOld(fixture.databaseUrl, late.records);
  const restoredAt = Date.now();
  await renew(stage, tenants);
  await released.sendAll(mailTo('new', newCount));
  const newLeft = async () => {
    const arrived = new Set(readSinkLedger(fixture.sinkLedger).map(emailIdOf));
    return {
      waiting: released.accepted.filter(({ id, to }) => to.startsWith('new') && !arrived.has(id)).length,
    };
  };
  await untilQuiet(newLeft, settleSeconds);
  await delay(watchMs);
  const decidedAt = Date.now();
  const held = await decide(stage, tenants);
  await untilQuiet(() => unfinishedOf([released, dropped]), settleSeconds);
  return { restoredAt, decidedAt, held, lateBefore, newMissing: (await newLeft()).waiting };
}

/** The operator lets the mail of one project go, and gives up that of the others. */
function decide({ fixture }: Stage, { released, dropped, late }: Tenants): Promise<number> {
  return asOperator(fixture.natsUrl, async (bus, caller) => {
    const { count } = await bus.call(overdueMail.held, caller, {});
    await bus.call(overdueMail.release, caller, { projectId: released.projectId });
    for (const { projectId } of [dropped, late]) await bus.call(overdueMail.drop, caller, { projectId });
    return count;
  });
}

async function runPrevious(stage: Stage, tenants: Tenants): Promise<OperationsEvidence['previous']> {
  const previous = await previousRelease(stage.options.directory);
  if (!previous) return { commit: null, sent: 0, missing: [] };
  const { steady } = tenants;
  await stage.processes.leaveAll();
  await stage.start({ replicas, program: previous.program });
  for (const tenant of Object.values(tenants)) tenant.moveTo(stage.processes);
  const template = await steady.surely('POST', '/api/v1/templates', {
    ...{
      name: 'Previous',
      subject: 'Hello',
      body: '<p>Hello {{ name }}</p>',
      email_category: 'TRANSACTIONAL',
    },
  });
  await steady.sendAll([
    ...mailTo('previous', queuedCount),
    { to: 'previous-template@sink.test', template: template['id'], data: { name: 'Ada' } },
  ]);
  await untilQuiet(() => unfinishedOf([steady]), settleSeconds);
  const rows = (await steady.records.emails()).filter(({ to }) => to.startsWith('previous'));
  return {
    commit: previous.commit.slice(0, 8),
    sent: queuedCount + 1,
    missing: [
      ...rows.flatMap(({ to, status }) => (status === 'DELIVERED' ? [] : [`${to} is ${status}`])),
      ...(rows.length === queuedCount + 1 ? [] : [`${rows.length} of ${queuedCount + 1} are there`]),
    ],
  };
}
