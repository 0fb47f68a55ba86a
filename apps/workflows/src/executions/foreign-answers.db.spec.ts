import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { Receiver } from '../testing/receiver.js';

let suite: EngineSuite;
let receiver: Receiver;
beforeAll(async () => {
  [suite, receiver] = await Promise.all([
    startEngineSuite({ WEBHOOK_ALLOW_PRIVATE: 'true' }),
    Receiver.open(),
  ]);
});
afterAll(() => Promise.all([suite.stop(), receiver.close()]));

it.each([
  ['NUL', '{"a":"x\\u0000y","b\\u0000":1}', { a: 'x\ufffdy', 'b\ufffd': 1 }],
  ['a lone surrogate', '{"a":["\\ud800"]}', { a: ['\ufffd'] }],
  [
    'JSON that is nested very deep',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    expect.stringMatching(/^\[+\]+$/),
  ],
  ['raw NUL', '\0{', '\ufffd{'],
])('an answer with %s is kept, and its execution goes on', async (_, body, kept) => {
  receiver.answer = () => ({ body });
  const { caller, projectId } = suite.buildProject();
  const { id: contactId } = suite.addContact(projectId);
  const { id } = await suite.enable(caller, {
    ask: { type: 'WEBHOOK', config: { url: receiver.url('/ask'), method: 'POST' }, next: 'mail' },
    mail: { type: 'SEND_EMAIL', config: { subject: 'Hello', body: 'Hello' } },
  });
  const { steps } = await suite.until(caller, await suite.start(caller, id, contactId), 'COMPLETED');
  expect(steps.find(({ stepName }) => stepName === 'ask')!.output).toEqual({ status: 200, body: kept });
});
