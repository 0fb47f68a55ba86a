import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { webhookEvents, type AcceptSend } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { takeMails } from '../testing/taken-mails.js';

let suite: GatewaySuite;
let workflows: EventPublisher;
let stop: () => Promise<void>;
let taken: AcceptSend[];

beforeAll(async () => {
  suite = await startGatewaySuite();
  workflows = await EventPublisher.start(suite.connection, 'workflows');
  ({ taken, stop } = await takeMails(suite));
});
afterAll(async () => {
  await stop();
  await workflows.stop();
  await suite.stop();
});

it('the owners get a mail when a webhook is disabled', async () => {
  const { projectId } = await suite.buildProject();
  const owner = `owner-${projectId}@example.com`;
  await suite.buildUser({ email: owner, projectId, role: 'OWNER' });
  const disabled = {
    webhookId: newId(),
    origin: 'https://shop.example',
    at: new Date(),
    reason: 'The endpoint answered 410 Gone',
  };
  await workflows.publish(webhookEvents.disabled, projectId, [disabled]);
  const mail = await eventually(
    async () => taken.find(({ recipients }) => recipients[0]!.to.email === owner),
    'the owner is mailed',
  );
  expect(mail.subject).toMatch(/^A webhook of .* was disabled$/);
  expect(mail.text).toContain(`https://shop.example. This webhook (${disabled.webhookId})`);
  expect(mail.text).toContain('The endpoint answered 410 Gone.');
});
