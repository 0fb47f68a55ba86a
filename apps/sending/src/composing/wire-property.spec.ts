import { beforeAll, describe, expect, it } from '@jest/globals';
import { EngagementTokens, type SigningKey } from '@posthorn/mail';
import { makeSigningKeys, wireFaults } from '@posthorn/testing';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime, { type Email } from 'postal-mime';
import { compose, type ComposeResult, type ComposeJob } from './compose.js';

// G21 over everything that a message can be made of; `POSTHORN_MESSAGES=20000` asks for more.
const runs = Number(process.env['POSTHORN_MESSAGES'] ?? 2_000);
const domain = 'shop.example';
const publicUrl = 'https://mail.shop.example';
const secretKeys = ['a-secret-for-the-wire-0123456789-0123456789'];
const tokens = new EngagementTokens(secretKeys);

let keys: SigningKey[];
let records: Map<string, string>;
beforeAll(async () => {
  ({ keys, records } = await makeSigningKeys(domain));
});

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '\n',
      '\r\n',
      '\r',
      '\n.\n',
      '\r\n.\r\n',
      'From ',
      '\0',
      ' \n',
      '\t',
      '=?UTF-8?Q?x?=',
      '=',
      '"',
      '\\',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'é',
      '汉',
      '👩‍👩‍👧‍👦',
      '\u202e',
      '\u2028',
      '\x7f',
      '\x01',
      'y'.repeat(1_200),
      ' '.repeat(90),
    ),
  },
);
const hostile = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('').toWellFormed());
const oneLine = hostile.map((value) => value.replace(/[\r\n\0]/g, ''));
/** What else breaks a line makes a rendered subject refuse its message. */
const title = oneLine.map((value) =>
  value
    .replace(/\u2028/g, '')
    .slice(0, 300)
    .toWellFormed(),
);
/** Between the pieces of HTML, where only the letters may be hostile. */
const texts = hostile.map((value) => value.replace(/[<>&{}]/g, ''));
const link = fc.constantFrom(
  'https://shop.example/a?b=1&amp;c=2',
  'http://x.example',
  'HTTPS://shop.example/ü',
  'mailto:a@b.example',
  'tel:+491',
  '#top',
);
const mailbox = fc.record({
  email: fc.constantFrom(
    'jane@example.org',
    'x+tag@bücher.example',
    "o'neil@sub.example.org",
    'jörg@example.org',
  ),
  name: oneLine,
});
const file = fc
  .record({
    filename: fc.oneof(
      oneLine.filter((name) => name.trim() !== ''),
      fc.constantFrom('a/b.txt', 'c\\d.txt', 'gpj.\u202eexe', 'ü 汉.pdf', '"q".txt'),
    ),
    data: fc.uint8Array({ maxLength: 300 }),
    kind: fc.constantFrom(
      { contentType: 'application/pdf', contentId: null, disposition: 'attachment' as const },
      { contentType: 'text/plain', contentId: null, disposition: 'attachment' as const },
      { contentType: 'image/png', contentId: 'logo@shop.example', disposition: 'inline' as const },
    ),
  })
  .map(({ kind, ...rest }) => ({ ...rest, ...kind }));

type Job = Omit<ComposeJob, 'keys'>;

const jobs: fc.Arbitrary<Job> = fc
  .record({
    projectId: fc.uuid(),
    emailId: fc.uuid(),
    date: fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    fromName: oneLine,
    to: fc.array(mailbox, { minLength: 1, maxLength: 3 }),
    cc: fc.array(mailbox, { maxLength: 2 }),
    replyTo: fc.option(mailbox, { nil: null }),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      { 'X-Trace': 'a b' },
      { References: '<a@b.test>  <c@d.test>' },
    ),
    category: fc.constantFrom('TRANSACTIONAL' as const, 'MARKETING' as const),
    value: hostile,
    title,
    html: fc
      .tuple(texts, link, texts)
      .map(([before, href, after]) => `<p>${before}<a href="${href}">${after}</a>{{ value }}</p>`),
    text: fc.option(fc.constant('{{ value }} for you'), { nil: null }),
    trackOpens: fc.boolean(),
    trackClicks: fc.boolean(),
    files: fc.array(file, { maxLength: 3 }),
  })
  .map(({ fromName, html, text, value, title, ...rest }) => ({
    ...rest,
    from: { email: `hello@${domain}`, name: fromName },
    texts: { subject: 'For you: {{ title }}', html, text },
    liquid: { variables: { value, title }, snippets: {} },
    project: {},
    listId: null,
    topicId: null,
    publicUrl,
    secretKeys,
  }));

describe('a composed message', () => {
  it(`is valid on the wire, for ${runs} random inputs`, async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(jobs, async (job) => {
        seen += 1;
        const composed = compose({ ...job, keys });
        const raw = Buffer.from(composed.raw);
        expect(Buffer.from(compose({ ...job, keys }).raw).equals(raw)).toBe(true);
        expect(wireFaults(raw)).toEqual([]);
        expect(raw.subarray(raw.indexOf('\r\n\r\n')).every((octet) => octet < 128)).toBe(true);
        await expectSigned(raw, job);
        expectContent(await PostalMime.parse(raw), composed, job);
      }),
      { numRuns: runs },
    );
    process.stderr.write(`wire property: ${seen} generated messages, 0 defects\n`);
  });
});

async function expectSigned(raw: Buffer, { category, date }: Job): Promise<void> {
  const resolver = (name: string): Promise<string[][]> => Promise.resolve([[records.get(name)!]]);
  const { results } = await dkimVerify(raw, { resolver, curTime: date });
  expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass']);
  const signed = results.map(({ signingHeaders }) => signingHeaders!.keys.toLowerCase().split(/\s*:\s*/));
  const unsubscribePrefixes = category === 'MARKETING' ? ['list-unsubscribe', 'list-unsubscribe-post'] : [];
  for (const names of signed)
    expect(names).toEqual(
      expect.arrayContaining(['from', 'to', 'subject', 'date', 'feedback-id', ...unsubscribePrefixes]),
    );
}

function expectContent(parsed: Email, { texts: text }: ComposeResult, job: Job): void {
  expect((parsed.subject ?? '').trim()).toBe(text.subject.trim());
  expect(lines(parsed.text)).toContain(job.texts.text === null ? '' : lines(text.text!));
  const sent = job.files.map(({ data }) => Buffer.from(data).toString('base64')).sort();
  expect(
    parsed.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('base64')).sort(),
  ).toEqual(sent);
  const oneClick = parsed.headers
    .filter(({ key }) => key.startsWith('list-unsubscribe'))
    .map(({ key }) => key);
  expect(oneClick).toEqual(job.category === 'MARKETING' ? ['list-unsubscribe', 'list-unsubscribe-post'] : []);
  expectLinks(lines(parsed.html), lines(text.html), job);
}

/** What is counted leads back to where it led; what is not stands as it was. */
function expectLinks(shown: string, text: string, { trackOpens, trackClicks }: Job): void {
  const [got, was] = [shown, text].map((html) => /<a href="([^"]*)"/.exec(html)![1]!);
  const counted = trackClicks && /^https?:/i.test(was!);
  if (counted)
    expect(tokens.readClick(got!.slice(got!.lastIndexOf('/') + 1))?.url.toLowerCase()).toContain('.example');
  else expect(got).toBe(was);
  expect(/<img [^>]*https:\/\/mail\.shop\.example/.test(shown)).toBe(trackOpens);
  if (!trackOpens && !trackClicks) expect(shown).toBe(text);
}

const lines = (value: string | undefined): string =>
  (value ?? '').replace(/\r\n?/g, '\n').replaceAll('\0', '').replace(/\n+$/, '');
