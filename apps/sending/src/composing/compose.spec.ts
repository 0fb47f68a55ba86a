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
  listId: null,
  topicId: null,
  project: { name: 'Shop & Co', language: 'de', postal_address: 'Hauptstr. 1\n10115 Berlin' },
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

describe('marketing mail', () => {
  const link = '{{ unsubscribe_url }}';
  const sent = (html: string, more: Partial<ComposeJob> = {}, text: string | null = null) =>
    compose({ ...job, trackClicks: false, ...more, texts: { subject: 'News', html, text } });

  it.each([
    ['no link', '<body><p>News</p></body>'],
    ['a link in a comment', `<p>News</p><!-- <a href="${link}">out</a> -->`],
    ['a link in an open comment', `<p>News</p><!-- <a href="${link}">out</a>`],
    ['one that is not displayed', `<p>News</p><a href="${link}" style="display: none">out</a>`],
    ['one in what is not displayed', `<p>News</p><div hidden><p><a href="${link}">out</a></p></div>`],
    ['one of size 0', `<p>News</p><a href="${link}" style="font-size:0px">out</a>`],
    ['one of size 1', `<p>News</p><span style="font-size:1px"><a href="${link}">out</a></span>`],
    [
      'one in the colour of the page',
      `<div style="background:#fff;color:#fffffe">News <a href="${link}">out</a></div>`,
    ],
    ['one without text', `<p>News</p><a href="${link}"> &#8203;</a>`],
    [
      'one around a pixel',
      `<p>News</p><a href="${link}"><img src="https://a.example/x.gif" width="1" height="1"></a>`,
    ],
    [
      'one that a style hides',
      `<style>.no { display: none !important }</style><p>News</p><a class="b no" href="${link}">out</a>`,
    ],
    ['one out of sight', `<p>News</p><a href="${link}" style="position:absolute;left:-9999px">out</a>`],
    ['only the address as text', `<p>News ${link}</p>`],
    ['only a preload', `<link rel="preload" href="${link}"><p>News</p>`],
  ])('with %s gets a footer in HTML and text', (_, html) => {
    const { texts, raw } = sent(html);
    expect(texts.html).toMatch(
      /<a href="https:\/\/mail\.shop\.example\/u\/[^"]+" style="[^"]*">Abbestellen<\/a>.*Shop &amp; Co<br>Hauptstr\. 1<br>10115 Berlin/,
    );
    expect(texts.html.match(/Neuigkeiten von Shop/g)).toHaveLength(1);
    expect(Buffer.from(raw).toString().replace(/=\r\n/g, '')).toMatch(
      /text\/plain[\s\S]*Abbestellen[\s\S]*Hauptstr\. 1[\s\S]*text\/html/,
    );
  });

  it.each([
    ['a link', `<p>News <a href="${link}">out</a></p>`],
    ['a picture as a link', `<a href="${link}"><img src="https://a.example/out.png" alt="out"></a>`],
    [
      'a link that is hidden on small screens only',
      `<style>@media (max-width: 9px) { a { display: none } }</style><a href="${link}">out</a>`,
    ],
  ])('with %s stays as it is', (_, html) => {
    expect(sent(html).texts.html).not.toContain('Neuigkeiten von');
  });

  it('has it before the end of the body, and in the language of pages', () => {
    expect(sent('<body><p>x</p></body></html>').texts.html).toMatch(/<\/div><\/body><\/html>$/);
    expect(sent('<p>x</p>', { project: { language: 'xx' } }).texts.html).toContain('from this sender. <a');
  });

  it('has it in a text of its own, and in mail of text alone', () => {
    expect(sent(`<a href="${link}">out</a>`, {}, 'News').texts.text).toMatch(
      /^News\n\n---\nSie .*\nAbbestellen: https:\/\/mail\.shop\.example\/u\/\S+\n\nShop & Co\nHauptstr\. 1\n/,
    );
    expect(sent('', {}, 'News').texts).toMatchObject({ html: '', text: expect.stringContaining('/u/') });
    expect(sent('', {}, `Out: ${link}`).texts.text).not.toContain('---');
  });

  it('is the only mail with it', () => {
    expect(sent('<p>x</p>', { category: 'TRANSACTIONAL' }).texts.html).toBe('<p>x</p>');
  });

  it.each(['<style', '<style>a', 'a{', '}', '<!--', '<a href="https://mail.shop.example/u/x"><b>'])(
    'is looked through in linear time: %s',
    (unit) => {
      const html = `<a href="${link}"></a><style>${unit.repeat(100_000 / unit.length)}`;
      const began = process.cpuUsage();
      sent(html);
      const { user, system } = process.cpuUsage(began);
      expect((user + system) / 1_000).toBeLessThan(1_500);
    },
  );
});
