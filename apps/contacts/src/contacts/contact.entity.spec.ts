import { describe, expect, it } from '@jest/globals';
import { ContactRow, type ContactChange } from './contact.entity.js';

const row = () =>
  Object.assign(new ContactRow(), { subscribed: true, customFields: { plan: 'pro', city: 'Bonn' } });
const change = (changes: Partial<ContactChange>) => {
  const contact = row();
  return { how: contact.change({ customFieldsMode: 'MERGE', ...changes }), contact };
};

describe('a change of a contact', () => {
  it.each<Partial<ContactChange>>([
    {},
    { subscribed: true },
    { customFields: {} },
    { customFields: { plan: 'pro' } },
    { customFields: { unknown: null } },
    { customFields: { city: 'Bonn', plan: 'pro', gone: null }, customFieldsMode: 'REPLACE' },
  ])('is ignored if it changes nothing: %j', (changes) => {
    const { how, contact } = change(changes);
    expect(how).toBeNull();
    expect(contact).toEqual(row());
  });

  it('merges or replaces the custom fields', () => {
    expect(change({ customFields: { plan: null, size: 3 } })).toMatchObject({
      how: 'updated',
      contact: { customFields: { city: 'Bonn', size: 3 } },
    });
    const replaced = change({ customFields: { plan: null, size: 3 }, customFieldsMode: 'REPLACE' });
    expect([replaced.how, replaced.contact.customFields]).toEqual(['updated', { size: 3 }]);
  });

  it('is reported as a change of the subscription, whatever else changes', () => {
    expect(change({ subscribed: false }).how).toBe('unsubscribed');
    expect(change({ subscribed: false, customFields: { size: 1 } }).how).toBe('unsubscribed');
  });
});
