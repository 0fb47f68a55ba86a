import type { Random } from '../random.js';
import type { Mail } from './tenant.js';

/** A case of the poison suite: what is sent, and what it tries. */
export interface PoisonCase {
  kind: 'innocent' | 'liquid' | 'reply';
  form: string;
  mail: Mail;
}

interface Form {
  name: string;
  weight: number;
  /** Liquid for the body, or for both where the subject is poisoned, too. */
  make(random: Random): { body: string; subject?: string };
}

const where = (filter: string) => `{% assign e = ${filter} %}{{ arr | where_exp: "i", e }}`;
const repeated = (text: string, doublings: number) =>
  `{% assign t = ${text} %}${'{% assign t = t | append: t %}'.repeat(doublings)}`;
const escapes = ['\\ud83d', '\\udc00', '\\u0000', '\\u2028', '\\ufffe', '\\u001b', '\\ud83d\\ud83d'];
const percents = ['%00', '%ff', '%ed%a0%80', '%0d%0aBcc:x@sink.test', '%f0%9f', '%c0%80', '%E0%A4%A', '%01'];
/** These can be decoded. */
const controls = ['%00', '%01', '%0d%0aBcc:x@sink.test', '%f0%9f%98%80', '%7f', '%e2%80%a8', 'x'];
const fragments = [
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{% if',
    'for i in',
    '(1..9)',
    '| append:',
    '| url_decode',
    '"',
    "'",
    'arr',
    '\\u0000',
  ],
  ...[
    '{% endfor %}',
    '{% raw %}',
    '{{ arr | where_exp: "i",',
    '[',
    ']',
    '..',
    ': :',
    '{% comment %}',
    '\u{1f600}',
    '-%}',
  ],
];

/** As many of the list as the seed says, one after another. */
const chain = (random: Random, list: readonly string[], most: number) =>
  Array.from({ length: random.whole(1, most) }, () => random.pick(list)).join('');

const forms: readonly Form[] = [
  { name: 'escape', weight: 4, make: (random) => ({ body: `{{ "${chain(random, escapes, 6)}" }}` }) },
  {
    name: 'escape in an error',
    weight: 8,
    make: (random) => ({ body: where(`"i | x${chain(random, escapes, 6)}"`) }),
  },
  {
    name: 'decoded',
    weight: 4,
    make: (random) => ({ body: `{{ "${chain(random, percents, 8)}" | url_decode }}` }),
  },
  {
    name: 'decoded in an error',
    weight: 8,
    make: (random) => ({
      body: where(
        `"${chain(random, random.chance(0.8) ? controls : percents, 8)}" | url_decode | prepend: "i | x"`,
      ),
    }),
  },
  {
    name: 'decoded subject',
    weight: 4,
    make: (random) => ({
      body: '<p>Hello</p>',
      subject: `{{ "${chain(random, random.chance(0.8) ? controls : percents, 4)}" | url_decode }}`,
    }),
  },
  {
    name: 'long error',
    weight: 8,
    make: (random) => ({
      body: `${repeated(`"${random.pick(['x', '\\u0001', '\\ud83d', '\u{1f600}'])}"`, random.whole(6, 18))}${where('t | prepend: "i | "')}`,
    }),
  },
  {
    name: 'cut character',
    weight: 5,
    make: (random) => ({
      body: `{{ "\u{1f600}\u{1f600}" | slice: ${random.whole(-4, 4)}, ${random.whole(0, 4)} }}{{ "a\u{1f600}b" | truncate: ${random.whole(1, 4)}, "" }}`,
      subject: `{{ "\u{1f600}" | slice: ${random.whole(0, 1)}, 1 }}`,
    }),
  },
  {
    name: 'huge output',
    weight: 3,
    make: (random) => ({ body: `${repeated('"0123456789"', random.whole(12, 22))}{{ t }}` }),
  },
  {
    name: 'capture loop',
    weight: 3,
    make: (random) => ({
      body: `{% for i in (1..${random.whole(5, 60)}) %}{% capture c %}{{ c }}{{ c }}x{% endcapture %}{% endfor %}{{ c | size }}`,
    }),
  },
  {
    name: 'endless',
    weight: 1,
    make: (random) => ({
      body: `{% for a in (1..${random.whole(5_000, 9_999)}) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}`,
    }),
  },
  {
    name: 'nested',
    weight: 2,
    make: (random) => {
      const depth = random.whole(50, 3_000);
      return { body: `${'{% if true %}'.repeat(depth)}x${'{% endif %}'.repeat(depth)}` };
    },
  },
  { name: 'fragments', weight: 6, make: (random) => ({ body: chain(random, fragments, 30) }) },
  {
    name: 'raw text',
    weight: 3,
    make: (random) => ({ body: `<p>${chain(random, ['\0', '\ud83d', '\r', '\u2028', 'x'], 8)}</p>` }),
  },
];

const stages = ['rcpt', 'data', 'dot'] as const;
const codes = ['550', '554', '552', '451', '421', '250', '354', '999', '600'] as const;

/** Innocent mail, mail whose text is poisoned, and mail whose recipient's server answers oddly; the same for the same seed. */
export function poisonCase(index: number, random: Random): PoisonCase {
  const plain = (to: string): Mail => ({ to, subject: `Case ${index}`, body: `<p>Case ${index}</p>` });
  const draw = random.next();
  if (draw < 0.3) {
    const mail = {
      ...plain(`innocent-${index}@sink.test`),
      body: '<p>{{ name }}</p>',
      data: { name: `N${index}` },
    };
    return { kind: 'innocent', form: 'innocent', mail };
  }
  if (draw < 0.5) {
    const code = random.pick(codes);
    const accepted = code === '250' && random.chance(0.7);
    const stage = accepted ? 'accept' : random.pick(stages);
    const to = `odd-${code}-${random.whole(0, 99_999)}-at-${stage}-once+${index}@sink.test`;
    return { kind: 'reply', form: `${code} at ${stage}`, mail: plain(to) };
  }
  const { name, make } = random.weighted(forms);
  const mail = {
    ...plain(`poisoned-${index}@sink.test`),
    data: { arr: [1, 2], name: 'Ada' },
    ...make(random),
  };
  return { kind: 'liquid', form: name, mail };
}
