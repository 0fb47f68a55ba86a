import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contactFacts, contacts } from '@posthorn/contracts';
import type { RunningService } from '@posthorn/platform';
import { eventually, lockWaiters, openServiceGround, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../../data-source.js';
import { startContacts } from '../../service.js';
import { SegmentsOf } from '../testing/segments-suite.js';

let ground: ServiceGround;
let service: RunningService;
beforeAll(async () => {
  ground = await openServiceGround('contacts', { entities, migrations });
  service = await ground.carry(startContacts({ environment: ground.environment, processMetrics: false }));
});
afterAll(async () => {
  await service.stop();
  await ground.close();
});

const waiting = (count: number) => eventually(async () => (await lockWaiters(ground.database)).length >= count, `${count} wait for a lock`);

it('a contact that is deleted while its segments are looked at leaves nothing behind', async () => {
  const { caller, projectId } = ground.buildProject();
  const mine = new SegmentsOf(ground, caller, projectId);
  await mine.build({ name: 'Pro', trackMembership: true });
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    let deleted: Promise<unknown> = Promise.resolve();
    await ground.database.transaction(async () => {
      // The members wait, with the contact found and not yet written of.
      await ground.database.query(`LOCK TABLE segment_members IN SHARE MODE`);
      const id = await mine.contact(`gone-${round}@example.org`, { plan: 'pro' });
      ids.push(id);
      await waiting(1);
      deleted = ground.bus.call(contacts.delete, caller, { id });
      await waiting(2);
    });
    await deleted;
  }
  await mine.settled();
  for (const table of ['contact_history', 'segment_members', 'segment_due'])
    expect([table, await ground.database.query(`SELECT 1 FROM ${table} WHERE contact_id = ANY ($1::uuid[])`, [ids])]).toEqual([table, []]);
  const entered = await ground.factsOf(projectId, contactFacts.segmentEntered);
  expect(entered.map(({ contactId }) => contactId).sort()).toEqual([...ids].sort());
});
