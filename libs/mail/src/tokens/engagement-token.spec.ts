import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EngagementTokens } from './engagement-token.js';

const tokens = new EngagementTokens(['a secret key of thirty-two letters']);
const uuid = fc.uuid();
const location = fc.record({ projectId: uuid, emailId: uuid, position: fc.integer({ min: 0, max: 255 }) });
const url = fc
  .webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true })
  .map((text) => new URL(text).href);
const email = fc.emailAddress();
const one = {
  projectId: '0190a7c0-1111-7222-8333-444455556666',
  emailId: '0190a7c0-2222-7222-8333-444455556666',
  position: 0,
};

describe('a token', () => {
  it('returns its data, and only for its own use', () => {
    fc.assert(
      fc.property(location, url, email, ({ projectId, emailId, position }, link, address) => {
        const [open, click, out] = [
          tokens.forOpen({ projectId, emailId, position }),
          tokens.forClick({ projectId, emailId, position, url: link }),
          tokens.forUnsubscribe({ projectId, emailId, email: address }),
        ];
        expect(tokens.readOpen(open)).toEqual({ projectId, emailId, position });
        expect(tokens.readClick(click)).toEqual({ projectId, emailId, position, url: link });
        expect(tokens.readUnsubscribe(out)).toEqual({ projectId, emailId, email: address });
        for (const other of [click, out]) expect(tokens.readOpen(other)).toBeNull();
        for (const other of [open, out]) expect(tokens.readClick(other)).toBeNull();
        for (const other of [open, click]) expect(tokens.readUnsubscribe(other)).toBeNull();
      }),
    );
  });

  it('leaves the topic of a mail rather than its list', () => {
    fc.assert(
      fc.property(uuid, uuid, email, (topicId, listId, address) => {
        const target = { projectId: one.projectId, emailId: one.emailId, email: address };
        const read = (more: object) => tokens.readUnsubscribe(tokens.forUnsubscribe({ ...target, ...more }));
        expect(read({ topicId, listId })).toEqual({ ...target, topicId });
        expect(read({ topicId: null, listId })).toEqual({ ...target, listId });
      }),
    );
  });

  it('is refused with any one character changed, left out or put in', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. ';
    const token = tokens.forClick({ ...one, url: 'https://shop.example/a?b=c' });
    for (let at = 0; at < token.length; at += 1) {
      for (const letter of alphabet) {
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        if (changed !== token) expect(tokens.readClick(changed)).toBeNull();
      }
      expect(tokens.readClick(token.slice(0, at) + token.slice(at + 1))).toBeNull();
      expect(tokens.readClick(`${token.slice(0, at)}A${token.slice(at)}`)).toBeNull();
    }
  });

  it('cannot be forged', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        for (const read of [tokens.readOpen(text), tokens.readClick(text), tokens.readUnsubscribe(text)])
          expect(read).toBeNull();
      }),
    );
    expect(tokens.readClick('A'.repeat(100_000))).toBeNull();
  });

  it('is short', () => {
    expect(tokens.forOpen(one).length).toBeLessThanOrEqual(60);
    expect(tokens.forClick({ ...one, url: 'https://shop.example/' }).length).toBeLessThanOrEqual(80);
  });

  it('leads to http and https only', () => {
    for (const link of ['javascript:alert(1)', 'ftp://files.example/', '/inside'])
      expect(tokens.readClick(tokens.forClick({ ...one, url: link }))).toBeNull();
  });

  it('of the previous key is valid while both are in the ring, and not otherwise', () => {
    const [fresh, both] = [
      new EngagementTokens(['another key']),
      new EngagementTokens(['another key', 'the key before']),
    ];
    const before = new EngagementTokens(['the key before']).forOpen(one);
    expect([fresh.readOpen(before), both.readOpen(before)]).toEqual([null, one]);
    expect(fresh.readOpen(both.forOpen(one))).toEqual(one);
  });

  it('is not made of an invalid id or position', () => {
    for (const wrong of [
      { ...one, emailId: '../x' },
      { ...one, projectId: '' },
      { ...one, position: 256 },
      { ...one, position: -1 },
    ])
      expect(() => tokens.forOpen(wrong)).toThrow(RangeError);
  });
});
