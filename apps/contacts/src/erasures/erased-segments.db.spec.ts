import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contacts, segments } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { otherServices, startErasingServices, type ErasingServices } from '../testing/erasing-services.js';
import { erasuresFixture } from '../testing/erasures-fixture.js';

let suite: BorrowedContacts;
let services: ErasingServices;
let fixture: ReturnType<typeof erasuresFixture>;
beforeAll(async () => {
  suite = await borrowContactsSuite();
  services = await startErasingServices(suite);
  fixture = erasuresFixture(suite);
});
afterAll(async () => {
  await services.stop(...otherServices);
  await suite.stop();
});

it('a contact leaves a segment that it matched only by an erased address', async () => {
  const { caller } = suite.buildProject();
  const email = 'chief@example.org';
  const { id } = await suite.bus.call(contacts.create, caller, { email });
  await suite.bus.call(contacts.create, caller, {
    email: 'member@example.org',
    customFields: { boss: email },
  });
  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'customFields.boss', operator: 'equals', value: email }] }],
  };
  const segment = await suite.bus.call(segments.create, caller, {
    name: 'Team',
    type: 'DYNAMIC',
    condition,
    trackMembership: true,
  });
  expect(segment).toMatchObject({ memberCount: 1, upkeep: 'LIVE' });
  await suite.bus.call(contacts.delete, caller, { id });
  await fixture.completed(caller, id);
  const counted = () => suite.bus.call(segments.get, caller, { id: segment.id });
  expect(
    await eventually(async () => (await counted()).memberCount === 0 && counted(), 'it is counted anew'),
  ).toMatchObject({
    upkeep: 'LIVE',
    condition: JSON.parse(JSON.stringify(condition).replace(email, 'erased@erased.invalid')) as object,
  });
});

it('an erased address in an event name of maximal length does not block other segments', async () => {
  const { caller } = suite.buildProject();
  const email = 'a@b.co';
  const { id } = await suite.bus.call(contacts.create, caller, { email });
  const dynamic = async (name: string, field: string, compared: object): Promise<string> => {
    const condition = { logic: 'AND', groups: [{ filters: [{ field, ...compared }] }] };
    return (await suite.bus.call(segments.create, caller, { name, type: 'DYNAMIC', condition })).id;
  };
  const text = await dynamic('Said', `event.${'x'.repeat(193)} ${email}`, { operator: 'triggered' });
  const pro = await dynamic('Pro', 'customFields.plan', { operator: 'equals', value: 'pro' });
  await suite.bus.call(contacts.delete, caller, { id });
  await fixture.completed(caller, id);
  expect(JSON.stringify(await suite.bus.call(segments.get, caller, { id: text }))).toContain(
    'x erased@erased.invalid',
  );
  await suite.bus.call(contacts.create, caller, { email: 'next@example.org', customFields: { plan: 'pro' } });
  const members = async () => (await suite.bus.call(segments.get, caller, { id: pro })).memberCount;
  await eventually(async () => (await members()) === 1, 'the next one has entered');
});
