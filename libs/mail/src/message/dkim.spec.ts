import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { makeSigningKeys } from '../../../testing/src/signing-keys.js';
import { dnsRecordOf, generateKeyPair, signMessage, type SigningKey } from './dkim.js';
import { buildMessage, type OutgoingMessage } from './message.js';

const runs = 500;
const domain = 'shop.example';
const at = new Date('2026-11-21T08:00:00Z');

let keys: SigningKey[];
let records: Map<string, string>;
beforeAll(async () => {
  ({ keys, records } = await makeSigningKeys(domain));
});

const basic: OutgoingMessage = {
  messageId: '0190@shop.example',
  date: at,
  from: { email: `hello@${domain}`, name: 'Shop' },
  to: [{ email: 'jane@example.org', name: 'Jane Doe' }],
  subject: 'Your order',
  html: '<p>Hello</p>',
  boundarySeed: '0190',
  headers: [
    ['List-Unsubscribe', '<https://mail.example/u/token>'],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['Feedback-ID', 'a:b:c:posthorn'],
  ],
};

/** One word for each signature: `pass`, or why not. */
async function judged(raw: Buffer): Promise<string[]> {
  const resolver = async (name: string, type: string): Promise<string[][]> => {
    const value = type === 'TXT' ? records.get(name) : undefined;
    if (value === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return [[value]];
  };
  const { results } = await dkimVerify(raw, { resolver, curTime: at });
  return results.map(({ status }) => status.result);
}

const sign = (message: Partial<OutgoingMessage> = {}) =>
  signMessage(buildMessage({ ...basic, ...message }).raw, keys, at);
const both = ['pass', 'pass'];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ' ',
      '  ',
      '\t',
      ' \t ',
      '\n',
      '\r\n',
      '\r\n\r\n',
      ' \n',
      '.',
      '\n.\n',
      'From ',
      '=',
      'é',
      '汉',
      '😀',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('x'.repeat(200), ' '.repeat(90), '\n'.repeat(9), 'word '.repeat(40)),
  },
);
const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('').toWellFormed());
const line = text.map((value) => value.replace(/[\r\n\0]/g, ''));
const outgoing: fc.Arbitrary<Partial<OutgoingMessage>> = fc.record({
  subject: line,
  html: text,
  text,
  boundarySeed: fc.string(),
  from: fc.record({ email: fc.constantFrom(`a@${domain}`, `jörg@mail.${domain}`), name: line }),
  cc: fc.array(fc.constant({ email: 'c@bücher.example' }), { maxLength: 2 }),
  replyTo: fc.array(fc.constant({ email: 'r@example.org', name: 'R' }), { maxLength: 1 }),
  headers: fc.constantFrom<OutgoingMessage['headers']>(
    basic.headers,
    [],
    [['References', '<a@b.test>  <c@d.test>']],
    [['X-A', '  a  b ']],
  ),
});

describe('signMessage', () => {
  it(`signs ${runs} hostile messages with both keys, verifiably and deterministically`, async () => {
    await fc.assert(
      fc.asyncProperty(outgoing, async (message) => {
        const signed = sign(message);
        expect(signed.equals(sign(message))).toBe(true);
        expect(await judged(signed)).toEqual(both);
      }),
      { numRuns: runs },
    );
  });

  it.each(['', '\r\n', '\r\n\r\n', ' ', ' \r\n \r\n', 'a', 'a \t b\t\r\n\r\n', 'a\r\n\r\n b \r\n\r\n\r\n'])(
    'signs the bare body %j',
    async (body) => {
      const raw = Buffer.from(
        `From: a@${domain}\r\nSubject:\r\n\t folded\r\n  twice \r\nDate: x\r\n\r\n${body}`,
      );
      expect(await judged(signMessage(raw, keys, at))).toEqual(both);
    },
  );

  it.each([
    'From',
    'To',
    'Cc',
    'Subject',
    'Reply-To',
    'Date',
    'Message-ID',
    'MIME-Version',
    'Content-Type',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'Feedback-ID',
  ])('fails verification with another %s', async (name) => {
    const added = Buffer.concat([Buffer.from(`${name}: x@evil.example\r\n`), sign()]);
    expect(await judged(added)).not.toContain('pass');
  });

  it('fails verification after a changed byte of a signed field or the body, and not after a relay adds its own fields', async () => {
    const signed = sign().toString('latin1');
    const changes: [string, string][] = [
      ['From: Shop', 'From: Shap'],
      ['Subject: Your', 'Subject: Our'],
      [
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        'List-Unsubscribe-Post: List-Unsubscribe=Two-Click',
      ],
      ['<https://mail.example/u/token>', '<https://evil.example/u/token>'],
      ['a:b:c:posthorn', 'a:b:d:posthorn'],
      ['<p>Hello</p>', '<p>Hallo</p>'],
    ];
    for (const [from, to] of changes) {
      expect(signed).toContain(from);
      expect(await judged(Buffer.from(signed.replace(from, to), 'latin1'))).not.toContain('pass');
    }
    const relayed = `Received: from a by b\r\nX-Spam: no\r\n${signed.replace('Subject: Your order', 'subject:Your   order ')}`;
    expect(await judged(Buffer.from(relayed, 'latin1'))).toEqual(both);
  });

  it('leaves a message unchanged where there are no keys', () => {
    const { raw } = buildMessage(basic);
    expect(signMessage(raw, [], at)).toBe(raw);
  });

  it('writes header lines of at most 78 columns', () => {
    const signed = sign().toString('latin1');
    const block = signed.slice(0, signed.indexOf('\r\nFrom: '));
    expect(Math.max(...block.split('\r\n').map((each) => each.length))).toBeLessThanOrEqual(78);
  });
});

describe('generateKeyPair', () => {
  it('makes keys that match their DNS records', async () => {
    const [rsa, ed25519] = await Promise.all([generateKeyPair('rsa'), generateKeyPair('ed25519')]);
    expect(Buffer.from(ed25519.publicKey, 'base64')).toHaveLength(32);
    expect(rsa.publicKey).toMatch(/^MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A/);
    expect(dnsRecordOf({ domain, selector: 'ph1', algorithm: 'rsa', publicKey: rsa.publicKey })).toEqual({
      name: `ph1._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${rsa.publicKey}`,
    });
  });
});
