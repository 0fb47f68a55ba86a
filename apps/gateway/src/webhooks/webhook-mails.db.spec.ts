import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { emails, webhookEvents, type AcceptSend } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher, standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let workflows: EventPublisher;
let stop: () => Promise<void>;
const taken: AcceptSend[] = [];

beforeAll(async () => {
  suite = await startGatewaySuite();
  workflows = await EventPublisher.start(suite.connection, 'workflows');
  stop = await standIn(suite.connection, emails.accept, async (send) => {
    taken.push(send);
    return {
      emails: send.recipients.map(({ id, to }) => ({
        ...{ id, to: to.email, from: 'hello@posthorn.example.test', contactId: null },
      })),
      acceptedAt: new Date(),
    };
  });
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
    ...{ webhookId: newId(), origin: 'https://shop.example', at: new Date() },
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
