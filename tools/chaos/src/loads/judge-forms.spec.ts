import { describe, expect, it } from '@jest/globals';
import type { Evidence } from '../judging/judge.js';
import type { SendRecord, SinkLine } from '../judging/ledger.js';
import { bccOf, ccOf, fileOf, markOf, ok, subjectOf, type Form } from './forms.js';
import { judgeForms } from './judge-forms.js';

const to = 'ok+1@sink.test';
const send = (form: Form, change: Partial<SendRecord> = {}): SendRecord => ({
  index: 1,
  kind: ok,
  to,
  key: null,
  twice: false,
  form,
  calls: [
    {
      place: 1,
      gateway: 0,
      beganAt: 1,
      endedAt: 2,
      status: 202,
      error: null,
      body: '{"id":"e1"}',
      retryAfter: false,
    },
  ],
  ...change,
});
const line = (address: string, receivedAt = 5_000): SinkLine => ({
  messageId: 'e1@x',
  from: '',
  to: address,
  mailParameters: '',
  tls: false,
  receivedAt,
  faults: [],
  digest: 'd',
});
const mail = (
  form: Form,
  {
    subject = subjectOf(form, 1),
    words: texts = markOf(form, 1),
    file = form === 'files' ? fileOf(1) : null,
    more = '',
  } = {},
) =>
  Buffer.from(
    [
      `Subject: ${subject}`,
      ...(more ? [more] : []),
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      `<p>${texts}</p>`,
      ...(file
        ? [
            '--b',
            'Content-Type: application/octet-stream',
            'Content-Disposition: attachment; filename=f',
            'Content-Transfer-Encoding: base64',
            '',
            file.toString('base64'),
          ]
        : []),
      '--b--',
      '',
    ].join('\r\n'),
  ).toString('base64');

async function broken(
  sends: SendRecord[],
  { sink = [], bytes = [] }: Partial<Pick<Evidence, 'sink' | 'bytes'>>,
): Promise<string[]> {
  const emails = sends.map((each) => ({
    id: 'e1',
    to: each.to,
    status: 'DELIVERED',
    state: 'SENT',
    attempts: 1,
    createdAt: new Date(0),
  }));
  const evidence = { sends, sink, bytes, emails, doubted: new Map() } as unknown as Evidence;
  return (await judgeForms(evidence)).flatMap((each) => each.broken);
}

describe('the judge of the sending suite', () => {
  it('finds nothing where everything came as asked for', async () => {
    for (const form of ['plain', 'template', 'files'] as const)
      expect(await broken([send(form)], { sink: [line(to)], bytes: [{ to, raw: mail(form) }] })).toEqual([]);
    const all = [to, ccOf(1), bccOf(1)];
    const added = {
      sink: all.map((each) => line(each)),
      bytes: all.map((each) => ({ to: each, raw: mail('copies') })),
    };
    expect(await broken([send('copies')], added)).toEqual([]);
  });

  it.each([
    ['other words', 'template', { words: 'Reader , this is . ' }],
    ['another subject', 'template', { subject: 'Hello {{ name }}' }],
    ['a lost file', 'files', { file: null }],
    ['another file', 'files', { file: Buffer.from('other') }],
    ['a hidden recipient that shows', 'copies', { more: `Bcc: ${bccOf(1)}` }],
  ] as const)('finds %s', async (_, form, change) => {
    const sink = [to, ccOf(1), bccOf(1)].map((each) => line(each));
    expect(
      await broken([send(form)], { sink, bytes: [{ to, raw: mail(form, change as object) }] }),
    ).toHaveLength(1);
  });

  it('finds what came early, what came though it was taken back, and copies that are missing or too many', async () => {
    expect(await broken([send('scheduled', { scheduledAt: 6_000 })], { sink: [line(to)] })).toEqual([
      `${to} came 1000 ms early`,
    ]);
    expect(await broken([send('cancelled', { takenBack: 'surely' })], { sink: [line(to)] })).toEqual([
      `${to} (cancelled) was sent`,
    ]);
    expect(await broken([send('suppressed')], { sink: [line(to)] })).toEqual([`${to} (suppressed) was sent`]);
    const twice = [line(to), line(ccOf(1)), line(ccOf(1))];
    expect(await broken([send('copies')], { sink: twice })).toEqual([
      `${ccOf(1)} got 2 copies, 1 can be excused`,
      `${bccOf(1)} never got its copy`,
    ]);
  });
});
