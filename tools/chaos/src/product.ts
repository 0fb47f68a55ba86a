import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import type { Fixture } from './fixture.js';
import { Records } from './judging/records.js';
import { ProcessGroup } from './process-group.js';
import { Random } from './random.js';
import { leaseSeconds } from './faults/faults.js';

/** The product's own waits, made short: what takes minutes in production takes seconds here. */
export const shortWaits = {
  POSTHORN_SECRET_KEY: 'a-secret-for-chaos-0123456789-0123456789',
  LOG_LEVEL: 'warn',
  // Loads with many bounces are no reason to stop.
  REPUTATION_DISABLES: 'false',
  LEASE_SECONDS: String(leaseSeconds),
  AMBIGUOUS_SECONDS: '2',
  RETRY_SECONDS: '1',
  SMTP_COMMAND_TIMEOUT: '3',
  SMTP_DOT_TIMEOUT: '4',
  // A process that is stopped while it measures a condition must not call it dear.
  SEGMENT_LIVE_MS: '60000',
};

/** Services on a ground, whose clocks are wrong by seed. */
export function skewedProcesses(
  { databaseUrl, natsUrl, smtpUrl }: Fixture,
  { directory, seed, ratePerSecond }: { directory: string; seed: number; ratePerSecond: number },
  more: Record<string, string> = {},
): ProcessGroup {
  const environment = {
    ...shortWaits,
    SENDING_RATE_PER_SECOND: String(ratePerSecond),
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    SMTP_URL: smtpUrl,
    ...more,
  };
  const skewHours = (member: string, incarnation: number) =>
    Random.named(`${seed} ${member} ${incarnation}`).pick([0, 26, -26]);
  return new ProcessGroup(directory, environment, skewHours);
}

/** A project that may send, with its key, and the books of it. */
export async function chaosProject(
  fixture: Fixture,
  name = 'chaos',
): Promise<{ projectId: string; token: string; records: Records }> {
  const { projectId, token } = await makeSendingProject(fixture.natsUrl, name);
  return {
    projectId,
    token,
    records: new Records(
      () => fixture.databaseUrl,
      () => projectId,
    ),
  };
}

/** Until nothing is left of what is counted; says what is, whenever that changes. */
export async function untilQuiet(unfinished: () => Promise<object>, settleSeconds: number): Promise<void> {
  const deadline = performance.now() + settleSeconds * 1_000;
  let text = '';
  while (performance.now() < deadline) {
    const left = await unfinished().catch(() => null);
    if (left && Object.values(left).every((count) => count === 0)) return;
    const line = JSON.stringify(left);
    if (line !== text) console.log(`settling: ${line}`);
    text = line;
    await delay(2_000);
  }
  console.log(`not quiet after ${settleSeconds} s`);
}
