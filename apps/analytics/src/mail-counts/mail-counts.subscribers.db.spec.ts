import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  analytics,
  emailEvents,
  type Caller,
  type EmailAccepted,
  type EmailBounced,
  type EmailEngaged,
  type EventContract,
  type TimeseriesDay,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startAnalyticsSuite, type AnalyticsSuite } from '../testing/analytics-suite.js';

const durables = ['accepted', 'delivered', 'bounced', 'opened', 'clicked'].map(
  (event) => `analytics-counts-sending-email-${event}`,
);
const window = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-03-03T23:59:59.999Z') };
const zero = { emails: 0, delivered: 0, opens: 0, clicks: 0, bounces: 0 };

const buildItem = (at: string) => ({
  emailId: newId(),
  to: 'ann@example.org',
  at: new Date(at),
  sourceType: 'TRANSACTIONAL' as const,
});
const buildAccepted = (at: string): EmailAccepted => ({
  ...buildItem(at),
  from: 'hello@example.test',
  contactId: null,
});
const buildBounce = (at: string, bounceType: EmailBounced['bounceType']): EmailBounced => ({
  ...buildItem(at),
  bounceType,
  reason: null,
});
const buildEngaged = (at: string, isMachine = false): EmailEngaged => ({
  ...buildItem(at),
  link: null,
  isFirst: true,
  isMachine,
});

describe('counts of mail', () => {
  let suite: AnalyticsSuite;
  beforeAll(async () => {
    suite = await startAnalyticsSuite();
  });
  afterAll(() => suite.stop());

  const series = (caller: Caller) => suite.bus.call(analytics.timeseries, caller, window);
  const sum = (data: TimeseriesDay[]) =>
    data.reduce(
      (all, { emails, delivered, opens, clicks, bounces }) =>
        all + emails + delivered + opens + clicks + bounces,
      0,
    );
  const counted = (caller: Caller, events: number) =>
    eventually(async () => {
      const { data } = await series(caller);
      return sum(data) >= events ? data : null;
    }, `${events} events are counted`);
  const publish = <Item extends object>(projectId: string, event: EventContract<Item>, ...items: Item[]) =>
    suite.sending.publish(event, projectId, items);
  const taken = () => Promise.all(durables.map((durable) => suite.sending.taken(durable)));

  it('count each kind on the UTC day of its instant, people and permanent bounces only', async () => {
    const { caller, projectId } = suite.buildProject();
    const outsider = suite.buildProject();
    await publish(
      projectId,
      emailEvents.accepted,
      buildAccepted('2026-03-01T00:00:00Z'),
      buildAccepted('2026-03-01T23:59:59.999Z'),
      buildAccepted('2026-03-01T23:30:00-05:00'),
    );
    await publish(projectId, emailEvents.delivered, buildItem('2026-03-01T12:00:00Z'));
    await publish(
      projectId,
      emailEvents.bounced,
      buildBounce('2026-03-03T01:00:00Z', 'Permanent'),
      buildBounce('2026-03-03T02:00:00Z', 'Transient'),
    );
    await publish(
      projectId,
      emailEvents.opened,
      buildEngaged('2026-03-03T03:00:00Z'),
      buildEngaged('2026-03-03T03:00:01Z', true),
    );
    await publish(
      projectId,
      emailEvents.clicked,
      buildEngaged('2026-03-03T04:00:00Z'),
      buildEngaged('2026-03-03T04:00:01Z', true),
    );
    await publish(projectId, emailEvents.bounced, buildBounce('2026-03-02T01:00:00Z', 'Transient'));
    const data = await counted(caller, 7);
    await taken();
    expect(await series(caller)).toEqual({ data, window });
    expect(data).toEqual([
      { ...zero, date: '2026-03-01', emails: 2, delivered: 1 },
      { ...zero, date: '2026-03-02', emails: 1 },
      { ...zero, date: '2026-03-03', opens: 1, clicks: 1, bounces: 1 },
    ]);
    expect(sum((await series(outsider.caller)).data)).toBe(0);
  });

  it('count a late event on its own day', async () => {
    const { caller, projectId } = suite.buildProject();
    await publish(projectId, emailEvents.delivered, buildItem('2026-03-03T10:00:00Z'));
    await counted(caller, 1);
    await publish(projectId, emailEvents.delivered, buildItem('2026-03-01T10:00:00Z'));
    const data = await counted(caller, 2);
    expect(data.map(({ delivered }) => delivered)).toEqual([1, 0, 1]);
  });

  it('count an event once, even if NATS loses all streams and everything is published again', async () => {
    const { caller, projectId } = suite.buildProject();
    await publish(
      projectId,
      emailEvents.accepted,
      ...Array.from({ length: 300 }, (_, index) => buildAccepted(`2026-03-0${(index % 3) + 1}T10:00:00Z`)),
    );
    const before = await counted(caller, 300);
    await suite.sending.repeatAll();
    await publish(projectId, emailEvents.opened, buildEngaged('2026-03-02T10:00:00Z'));
    await counted(caller, 301);
    await taken();
    const { data } = await series(caller);
    expect(data.map(({ emails }) => emails)).toEqual(before.map(({ emails }) => emails));
    expect(sum(data)).toBe(301);
  });

  it('equal a recount with two replicas and events whose days come in opposite orders', async () => {
    await suite.startReplica();
    const projects = Array.from({ length: 3 }, () => suite.buildProject());
    const days = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z', '2026-03-03T10:00:00Z'];
    const events = Array.from({ length: 120 }, (_, index) => ({
      projectId: projects[index % 3]!.projectId,
      order: index % 2 ? days : days.toReversed(),
    }));
    await Promise.all(
      events.flatMap(({ projectId, order }) => [
        publish(projectId, emailEvents.accepted, ...order.map(buildAccepted)),
        publish(projectId, emailEvents.delivered, ...order.map(buildItem)),
        publish(projectId, emailEvents.clicked, ...order.map((at) => buildEngaged(at))),
      ]),
    );
    await taken();
    for (const { caller } of projects) {
      const { data } = await series(caller);
      expect(data).toEqual(
        days.map((at) => ({ ...zero, date: at.slice(0, 10), emails: 40, delivered: 40, clicks: 40 })),
      );
    }
    expect(await suite.database.query(`SELECT error FROM dead_letters`)).toEqual([]);
  });

  it('continue after an event that cannot be read', async () => {
    const { caller, projectId } = suite.buildProject();
    await publish(projectId, emailEvents.delivered, {
      ...buildItem('2026-03-01T10:00:00Z'),
      to: 'no address',
    });
    for (let index = 0; index < 50; index += 1)
      await publish(projectId, emailEvents.delivered, buildItem('2026-03-02T10:00:00Z'));
    const data = await counted(caller, 50);
    expect(data.map(({ delivered }) => delivered)).toEqual([0, 50, 0]);
  });
});
