import { describe, expect, it } from '@jest/globals';
import { compose, type ComposeJob } from './compose.js';

const uuid = '019b76da-a800-7000-8000-000000000001';
const job: ComposeJob = {
  projectId: uuid,
  emailId: uuid,
  date: new Date('2026-01-31T09:00:00Z'),
  from: { email: 'hello@shop.example' },
  to: [{ email: 'ada@example.org' }],
  cc: [],
  replyTo: null,
  headers: {},
  category: 'MARKETING',
  texts: {
    subject: 'News',
    html: '<a href="{{ unsubscribe_url }}">out</a><a href="https://shop.example/">in</a>',
    text: null,
  },
  liquid: { variables: {}, snippets: {} },
  publicUrl: 'https://mail.shop.example',
  secretKeys: ['a-secret-for-the-spec-0123456789-0123456789'],
  trackOpens: false,
  trackClicks: true,
  files: [],
  keys: [],
};
/** Without the soft breaks of its transfer encoding. */
const contentOf = (publicUrl: string): string =>
  Buffer.from(compose({ ...job, publicUrl }).raw)
    .toString()
    .replace(/=\r\n/g, '');

describe('the unsubscribe link of a message', () => {
  it.each(['https://mail.shop.example', 'https://mail.shop.example/', 'https://mail.shop.example//'])(
    'is never tracked, under %s',
    (publicUrl) => {
      const links = [...contentOf(publicUrl).matchAll(/<a href=(?:3D)?"([^"]*)"/g)].map(([, link]) => link);
      expect(links).toEqual([
        expect.stringMatching(/^https:\/\/mail\.shop\.example\/u\//),
        expect.stringMatching(/^https:\/\/mail\.shop\.example\/t\/c\//),
      ]);
    },
  );
});
