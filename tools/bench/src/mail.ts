/** The message that reference and product send: a small transactional mail. */
export function benchMail(index: number): { to: string; subject: string; body: string; text: string } {
  return {
    to: `reader-${index}@bench.test`,
    subject: `Your order number ${index}`,
    body: '<h1>Thank you</h1><p>Your order is on its <b>way</b>; it arrives within three days.</p>'.repeat(6),
    text: 'Thank you. Your order is on its way; it arrives within three days.\n'.repeat(6),
  };
}

/** Of mail whose arrival somebody waits for. */
export const watchedDomain = '@watched.test';

const paragraph =
  '<p>{{ name }}, we chose <a href="https://shop.example/offers/{{ number }}">an offer</a> for you, on <b>{{ city }}</b>.</p>';

/** A counted, templated mail: three links, some two kilobytes. */
export const newsletter = {
  name: 'Newsletter',
  subject: 'News for {{ name }}',
  body: `<h1>Hello {{ name }}</h1>${paragraph.repeat(3)}<p>${'Words that everybody gets. '.repeat(60)}</p><p>{{ farewell ?? "Bye" }}</p>`,
};

export const newsletterData = { name: 'Ada', number: 7, city: 'London' };
