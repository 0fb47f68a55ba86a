const paragraph =
  '<p>{{ name }}, we chose <a href="https://shop.example/offers/{{ number }}">an offer</a> for you, on <b>{{ city }}</b>.</p>';

/** A counted, templated mail: three links, some two kilobytes. */
export const newsletter = {
  name: 'Newsletter',
  subject: 'News for {{ name }}',
  body: `<h1>Hello {{ name }}</h1>${paragraph.repeat(3)}<p>${'Words that everybody gets. '.repeat(60)}</p><p>{{ farewell ?? "Bye" }}</p>`,
};

export const newsletterData = { name: 'Ada', number: 7, city: 'London' };
