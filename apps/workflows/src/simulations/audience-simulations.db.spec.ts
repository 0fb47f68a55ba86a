import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { simulations, type Caller, type SimulateAudienceOf } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const pause = (next: string) => ({ type: 'DELAY' as const, config: { amount: 1, unit: 'days' }, next });
/** Who is not done yet comes to the condition twice. */
const loop = {
  done: {
    type: 'CONDITION' as const,
    config: { field: 'data.done', operator: 'exists' },
    next: { no: 'mark' },
  },
  mark: { type: 'UPDATE_CONTACT' as const, config: { updates: { done: true } }, next: 'pause' },
  pause: pause('done'),
};

async function branches(caller: Caller, request: SimulateAudienceOf) {
  const { sampled, branches: taken } = await suite.bus.call(simulations.audience, caller, request);
  return { sampled, taken: taken.map(({ branch, contacts, share }) => [branch, contacts, share]).toSorted() };
}

it('an audience is that of the workflow, without a segment who is subscribed, and contacts are counted once', async () => {
  const { caller, projectId } = suite.buildProject();
  const segmentId = newId();
  suite.segments.add(segmentId);
  const [isNew, , left] = [{}, { done: true }, {}].map((fields) => suite.addContact(projectId, fields));
  left!.subscribed = false;
  suite.members.set(segmentId, new Set([isNew!.id, left!.id]));
  const manual = await suite.enable(caller, loop);
  expect(await branches(caller, { id: manual.id })).toEqual({
    sampled: 2,
    taken: [
      ['no', 1, 0.5],
      ['yes', 2, 1],
    ],
  });
  const schedule = { triggerType: 'SCHEDULE' as const, intervalMs: 3_600_000, segmentId };
  const { id } = await suite.enable(caller, loop, schedule);
  expect(await branches(caller, { id })).toEqual({
    sampled: 2,
    taken: [
      ['no', 2, 1],
      ['yes', 2, 1],
    ],
  });
  expect(await branches(caller, { id, segmentId: null, sample: 1 })).toMatchObject({ sampled: 1 });
});

it('an audience that there is no time for is answered as far as it was rehearsed', async () => {
  const { caller, projectId } = suite.buildProject();
  suite.addContact(projectId);
  const { id } = await suite.enable(caller, loop);
  // The deadline has passed when the request arrives, and its caller still waits.
  const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
  const hurried = new Bus(suite.connection, clock, undefined, 20_000);
  const answer = await hurried.call(simulations.audience, caller, { id });
  expect(answer).toEqual({ sampled: 0, outcomes: {}, branches: [], emailsPerDay: [] });
});

it('a rehearsal ends at its limit of bytes, with the mails that fit', async () => {
  const { caller } = suite.buildProject();
  const { id } = await suite.enable(caller, {
    send: { type: 'SEND_EMAIL', config: { subject: 'Long', body: 'x'.repeat(60_000) }, next: 'pause' },
    pause: pause('send'),
  });
  const contact = { email: 'ada@example.org' };
  const { outcome, emails } = await suite.bus.call(simulations.run, caller, { id, contact });
  expect([outcome, emails.length]).toEqual(['LIMIT', 34]);
});

it('a rehearsal ends at its limit of steps', async () => {
  const { caller } = suite.buildProject();
  const { id } = await suite.enable(caller, { one: pause('other'), other: pause('one') });
  const contact = { email: 'ada@example.org' };
  const { outcome, path } = await suite.bus.call(simulations.run, caller, { id, contact });
  expect([outcome, path.length]).toEqual(['LIMIT', 501]);
});
