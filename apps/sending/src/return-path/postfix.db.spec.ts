import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { emails, suppressions } from '@posthorn/contracts';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually, hasPostfix, startPostfix, type Postfix } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

const domain = 'bounces.shop.example';
const withPostfix = hasPostfix ? it : it.skip;

let suite: SendingSuite;
let postfix: Postfix | undefined;
beforeAll(async () => {
  const inboundPort = await chooseQuietPort();
  if (hasPostfix) postfix = await startPostfix({ domain, port: inboundPort });
  suite = await startSendingSuite({
    ...(postfix ? { SMTP_URL: `smtp://127.0.0.1:${postfix.port}` } : {}),
    SMTP_ACCEPT_IS_DELIVERY: 'false',
    INBOUND_PORT: String(inboundPort),
    RETURN_PATH_DOMAIN: domain,
  });
});
afterAll(async () => {
  postfix?.stop();
  await suite.stop();
});

withPostfix(
  'a message that Postfix takes and bounces is BOUNCED (needs: apt-get install postfix)',
  async () => {
    const { caller, domain: from } = await suite.buildProject();
    const to = 'nobody@example.org';
    const { emails: accepted } = await suite.bus.call(emails.accept, caller, buildSend(from, { to }));
    const { id } = accepted[0]!;
    const email = await eventually(async () => {
      const found = await suite.bus.call(emails.get, caller, { id });
      return found.status === 'BOUNCED' && found;
    }, 'it bounces').catch((error: Error) => {
      throw new Error(`${error.message}: ${postfix!.log()}`);
    });
    // The bounce may come before our own final write.
    expect(email.events.map(({ status, source }) => `${status} ${source}`).sort()).toEqual([
      'BOUNCED dsn',
      'PENDING null',
      'SENT null',
    ]);
    expect(email.events.find(({ source }) => source)!.detail).toMatch(/User unknown/);
    expect(await suite.bus.call(suppressions.get, caller, { email: to })).toMatchObject({
      reason: 'HARD_BOUNCE',
    });
  },
);
