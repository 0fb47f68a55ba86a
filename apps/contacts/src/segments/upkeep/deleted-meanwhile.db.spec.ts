import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contactEvents, contacts } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { eventually, lockWaiters, type ServiceFixture } from '@posthorn/testing';
import { startContacts } from '../../service.js';
import { openContactsFixture } from '../../testing/contacts-suite.js';
import { SegmentsOf } from '../testing/segments-suite.js';

let fixture: ServiceFixture;
let service: RunningService;
beforeAll(async () => {
  fixture = await openContactsFixture();
  service = await fixture.carry(startContacts({ environment: fixture.environment, processMetrics: false }));
});
afterAll(async () => {
  await service.stop();
  await fixture.close();
});

const waiting = (count: number) =>
  eventually(async () => (await lockWaiters(fixture.database)).length >= count, `${count} wait for a lock`);

it('a contact that is deleted during its evaluation leaves no rows', async () => {
  const { caller, projectId } = fixture.buildProject();
  const mine = new SegmentsOf(fixture, caller, projectId);
  await mine.build({ name: 'Pro', trackMembership: true });
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    let deleted: Promise<unknown> = Promise.resolve();
    await fixture.database.transaction(async () => {
      // Upkeep waits for the lock, after it has read the contact and before it writes.
      await fixture.database.query(`LOCK TABLE segment_members IN SHARE MODE`);
      const id = await mine.contact(`gone-${round}@example.org`, { plan: 'pro' });
      ids.push(id);
      await waiting(1);
      deleted = fixture.bus.call(contacts.delete, caller, { id });
      await waiting(2);
    });
    await deleted;
  }
  await mine.settled();
  for (const table of ['contact_history', 'segment_members', 'segment_due'])
    expect([
      table,
      await fixture.database.query(`SELECT 1 FROM ${table} WHERE contact_id = ANY ($1::uuid[])`, [ids]),
    ]).toEqual([table, []]);
  const entered = await fixture.eventsOf(projectId, contactEvents.segmentEntered);
  expect(entered.map(({ contactId }) => contactId).sort()).toEqual([...ids].sort());
});
