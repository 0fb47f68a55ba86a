import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { domainEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { takeMails } from '../testing/taken-mails.js';

let suite: GatewaySuite;
let sending: EventPublisher;
beforeAll(async () => {
  suite = await startGatewaySuite();
  sending = await EventPublisher.start(suite.connection, 'sending');
});
afterAll(async () => {
  await sending.stop();
  await suite.stop();
});

it('owners, and only they, get one mail when a domain loses its verification', async () => {
  const { taken, stop } = await takeMails(suite);
  const { projectId } = await suite.buildProject();
  const { projectId: another } = await suite.buildProject();
  for (const [email, role] of [
    ['ada@example.com', 'OWNER'],
    ['grace@example.com', 'OWNER'],
    ['alan@example.com', 'ADMIN'],
  ] as const)
    // prettier-ignore
    await suite.buildUser({ email, projectId, role });
  await suite.buildUser({ email: 'unverified@example.com', projectId, role: 'OWNER', verified: false });
  await suite.buildUser({ email: 'stranger@example.com', projectId: another });
  const lost = { domainId: newId(), domain: 'shop.example', at: new Date() };
  await sending.publish(domainEvents.unverified, projectId, [lost]);
  await eventually(async () => taken.length === 2, 'both owners have got a mail');
  await sending.repeatAll();
  await sending.taken('gateway-domain-mails');
  expect(taken.map(({ recipients }) => recipients[0]!.to.email).sort()).toEqual([
    'ada@example.com',
    'grace@example.com',
  ]);
  expect(taken[0]).toMatchObject({
    subject: 'shop.example is no longer verified',
    text: expect.stringMatching(/three days[\s\S]*add them again/),
  });
  await stop();
});
