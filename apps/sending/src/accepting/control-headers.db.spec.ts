import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ ALLOWED_CONTROL_HEADERS: 'X-PM-Tag, x-ses-configuration-set' });
});
afterAll(() => suite.stop());

const controls = [
  'X-SMTPAPI',
  'x-smtpapi',
  'X-Sendgrid-Anything',
  'X-MSYS-API',
  'X-MC-BccAddress',
  'X-Mandrill-Anything',
  'X-Mailgun-Recipient-Variables',
  'X-SES-MESSAGE-TAGS',
  'X-PM-Message-Stream',
  'X-Postmark-Anything',
  'X-MJ-CustomID',
  'x-Mailjet-Campaign',
  'X-Sib-Anything',
  'X-Mailin-Tag',
  'X-MT-Category',
  'X-MS-Exchange-Organization-SCL',
  'X-VirtualMTA',
];

const accept = (caller: Caller, domain: string, headers: Record<string, string>) =>
  suite.bus.call(emails.accept, caller, { ...buildSend(domain), headers });

const refusedHeader = (name: string) => ({
  kind: 'invalid',
  code: 'validation_error',
  details: {
    errors: [{ path: ['headers', name], code: 'not_allowed', message: expect.stringContaining(name) }],
  },
});

describe('a header that controls a mail provider', () => {
  it.each(controls)('is refused: %s', async (name) => {
    const { caller, domain } = await suite.buildProject();
    await expect(accept(caller, domain, { 'X-Order': '17', [name]: 'value' })).rejects.toMatchObject(
      refusedHeader(name),
    );
    expect(await suite.bus.call(emails.list, caller, {})).toMatchObject({ items: [] });
  });

  it('is refused before a send creates anything', async () => {
    const { caller } = await suite.buildProject();
    await expect(
      suite.bus.call(emails.check, caller, { headers: { 'X-SMTPAPI': '{}' } }),
    ).rejects.toMatchObject(refusedHeader('X-SMTPAPI'));
  });

  it('refuses its message alone in a batch', async () => {
    const { caller, domain } = await suite.buildProject();
    const headers = { 'X-MSYS-API': '{"cc":["eve@example.com"]}' };
    const messages = [
      { ...buildSend(domain), index: 0 },
      { ...buildSend(domain), headers, index: 1 },
    ];
    const { accepted, refused } = await suite.bus.call(emails.acceptBatch, caller, { messages, refused: [] });
    expect(accepted.map(({ index }) => index)).toEqual([0]);
    expect(refused).toEqual([
      { index: 1, code: 'validation_error', message: expect.stringMatching(/X-MSYS-API/) },
    ]);
  });

  it('is sent where the configuration allows it, in any case', async () => {
    const { caller, domain } = await suite.buildProject();
    const to = `ok-${newId()}@sink.test`;
    await suite.bus.call(emails.accept, caller, {
      ...buildSend(domain, { to }),
      headers: { 'x-pm-tag': 'welcome', 'X-SES-CONFIGURATION-SET': 'main' },
    });
    const taken = () => suite.sink.messages.find((message) => message.to === to);
    await suite.sink.waitFor(() => taken() !== undefined);
    const raw = taken()!.raw!.toString();
    expect(raw).toMatch(/^x-pm-tag: welcome\r$/m);
    expect(raw).toMatch(/^X-SES-CONFIGURATION-SET: main\r$/m);
  });

  it('is known by its prefix: other names pass', async () => {
    const { caller, domain } = await suite.buildProject();
    const names = [
      'X-Order',
      'X-Entity-Ref-ID',
      'X-MJ',
      'X-Mailer',
      'X-PMs-Note',
      'X-MSMail-Priority',
      'References',
    ];
    await accept(caller, domain, Object.fromEntries(names.map((name) => [name, 'value'])));
  });
});

describe('the list of allowed control headers', () => {
  it('stops the start where it names something that is no custom header', async () => {
    await expect(startSendingSuite({ ALLOWED_CONTROL_HEADERS: 'X-PM-Tag,Bcc' })).rejects.toThrow(
      /ALLOWED_CONTROL_HEADERS=X-PM-Tag,Bcc/,
    );
  });
});
