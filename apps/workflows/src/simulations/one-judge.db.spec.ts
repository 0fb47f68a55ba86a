import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executions, simulations } from '@posthorn/contracts';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

describe('a call that cannot leave', () => {
  it.each([
    ['no URL', 'shop', '', 'hook: The URL is not a URL'],
    ['another kind of URL', 'ftp://shop.example/', '', 'hook: The URL must be http or https'],
    [
      'a metadata address',
      'http://169.254.169.254/latest',
      '',
      'hook: The URL leads to an address that is not public',
    ],
    [
      'a header of two lines',
      'https://shop.example/',
      'a\r\nX-B: b',
      'hook: The header X-Shop cannot be sent',
    ],
  ])('fails in a rehearsal as in an execution: %s', async (_, target, shop, reason) => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId, { target, shop });
    const config = { url: '{{ contact.target }}', headers: { 'X-Shop': '{{ contact.shop }}' } };
    const { id } = await suite.enable(caller, { hook: { type: 'WEBHOOK', config } });
    const rehearsed = await suite.bus.call(simulations.run, caller, { id, contactId });
    const failed = await suite.until(caller, await suite.start(caller, id, contactId), 'FAILED');
    expect([rehearsed.outcome, rehearsed.reason, failed.reason]).toEqual(['FAILED', reason, reason]);
  });
});

describe('what earlier steps put out', () => {
  it('is known to a snippet after a delay', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: workflowId } = await suite.enable(caller, {
      first: { type: 'SEND_EMAIL', config: { subject: 'One', body: 'Hello' }, next: 'wait' },
      wait: { type: 'DELAY', config: { amount: 1, unit: 'days' }, next: 'second' },
      second: { type: 'SEND_EMAIL', config: { subject: 'Two', body: '{{> footer}}' } },
    });
    const execution = await suite.start(caller, workflowId, suite.addContact(projectId).id);
    await suite.until(caller, execution, 'WAITING');
    await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId });
    await suite.until(caller, execution, 'COMPLETED');
    const [first, second] = suite.effected.sends.slice(-2);
    expect(second!.data!['steps']).toMatchObject({ first: { emailId: first!.recipients[0]!.id } });
  });
});
