import { describe, expect, it } from '@jest/globals';
import { addressesIn, withoutAddresses } from './erased-text.js';

const nobody = 'erased@erased.invalid';
const ann = 'a.nn+news@example.org';
const without = (value: unknown) => withoutAddresses(value, addressesIn([ann, 'jörg@example.org']));

describe('text without an address', () => {
  it('has a placeholder for it, at any depth, in any case, within other text', () => {
    expect(
      without({
        to: ann,
        at: 1,
        cc: [ann.toUpperCase(), null, { why: `550 <${ann}>: no such user; '${ann}', ${ann}.` }],
      }),
    ).toEqual({
      to: nobody,
      at: 1,
      cc: [nobody, null, { why: `550 <${nobody}>: no such user; '${nobody}', ${nobody}.` }],
    });
    expect(without({ [ann]: 'JÖRG@example.org' })).toEqual({ [nobody]: nobody });
  });

  it('has a placeholder for it, also percent-encoded or in Unicode', () => {
    expect(
      without({
        link: 'https://x.example/?mail=a.nn%2Bnews%40example.org&next=%3Da.nn%2bnews%40example.org',
      }),
    ).toEqual({
      link: `https://x.example/?mail=${nobody}&next=%3D${nobody}`,
    });
    const [label, read] = ['ann@xn--bcher-kva.example', 'ann@b\u00fccher.example'];
    expect(withoutAddresses([label, read, `x${read}`], addressesIn([label]))).toEqual([
      nobody,
      nobody,
      `x${read}`,
    ]);
  });

  it('keeps longer addresses and look-alikes', () => {
    for (const other of [
      `x${ann}`,
      `x.${ann}`,
      `${ann}.uk`,
      `${ann}-x`,
      'aXnn+news@example.org',
      'a.nn@example.org',
    ])
      expect(without({ to: other })).toEqual({ to: other });
  });

  it('is also without the free texts of events about mail to them, and keeps those of others', () => {
    const event = {
      emailId: 'e-1',
      to: ann,
      subject: 'Your order, Ann',
      metadata: { name: 'Ann' },
      reason: 'Ann?',
    };
    expect(without([event, { ...event, to: 'bob@example.org' }])).toEqual([
      { emailId: 'e-1', to: nobody, reason: null },
      { ...event, to: 'bob@example.org' },
    ]);
  });
});
