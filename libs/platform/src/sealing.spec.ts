import { describe, expect, it } from '@jest/globals';
import { Secrets, UnreadableSecret } from './sealing.js';

const location = { table: 'things', projectId: 'p', id: '1' };
const [oldKey, newKey] = ['an-old-key-0123456789-0123456789-0123', 'a-new-key-0123456789-0123456789-01234'];
const before = new Secrets([oldKey]);
const during = new Secrets([newKey, oldKey]);
const after = new Secrets([newKey]);

describe('a sealed secret', () => {
  it('can be opened for its own row and reveals nothing', () => {
    const sealed = before.seal('sk_live_ü', location);
    expect(before.open(sealed, location)).toBe('sk_live_ü');
    expect(sealed).toMatch(/^e1\.[0-9a-f]{8}\.[\w-]+$/);
    expect(before.seal('sk_live_ü', location)).not.toBe(sealed);
    expect(before.open(before.seal('', location), location)).toBe('');
  });

  it.each([
    ['table', { ...location, table: 'others' }],
    ['project', { ...location, projectId: 'q' }],
    ['project that is null', { ...location, projectId: null }],
    ['row', { ...location, id: '2' }],
  ])('cannot be opened for another %s', (_, elsewhere) => {
    expect(() => before.open(before.seal('x', location), elsewhere)).toThrow(UnreadableSecret);
  });

  it('cannot be opened with any changed character', () => {
    const sealed = before.seal('secret', location);
    for (let index = 0; index < sealed.length; index += 1) {
      // The last base64url character has unused bits.
      const other = sealed[index] === 'A' ? 'Q' : 'A';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      if (
        Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
          Buffer.from(sealed.split('.')[2]!, 'base64url'),
        ) &&
        index > 11
      )
        continue;
      expect(() => before.open(changed, location)).toThrow(UnreadableSecret);
    }
    for (const none of ['', 'e1', 'e1..', `${before.prefix}AAAA`, sealed.slice(0, 30)]) {
      expect(() => before.open(none, location)).toThrow(UnreadableSecret);
    }
  });

  it('can be opened after a rotation while the old key is listed second', () => {
    const sealed = before.seal('x', location);
    expect(during.open(sealed, location)).toBe('x');
    expect(() => after.open(sealed, location)).toThrow(UnreadableSecret);
    expect(after.open(during.seal('y', location), location)).toBe('y');
    expect(during.prefix).toBe(after.prefix);
    expect(before.prefix).not.toBe(after.prefix);
  });
});
