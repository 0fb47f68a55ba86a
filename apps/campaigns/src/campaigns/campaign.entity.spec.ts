import { describe, expect, it } from '@jest/globals';
import { campaignStatuses, type CampaignStatus } from '@posthorn/contracts';
import { CampaignRow } from './campaign.entity.js';

const build = (overrides: Partial<CampaignRow> = {}) =>
  Object.assign(new CampaignRow(), {
    name: 'Spring',
    description: null,
    templateId: null,
    audienceType: 'ALL',
    audienceCondition: null,
    segmentId: null,
    listId: null,
    topicId: null,
    variants: null,
    test: null,
    timing: null,
    status: 'DRAFT',
    ...overrides,
  });
const allows = (act: () => unknown) => {
  try {
    act();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'conflict', code: 'conflict' });
    return false;
  }
};
const statuses = (act: (row: CampaignRow) => unknown): CampaignStatus[] =>
  campaignStatuses.filter((status) => allows(() => act(build({ status }))));

describe('a campaign', () => {
  it('can be changed in DRAFT and SCHEDULED only, even by an empty change', () => {
    expect(statuses((row) => row.change({ name: 'Summer' }))).toEqual(['DRAFT', 'SCHEDULED']);
    expect(statuses((row) => row.change({}))).toEqual(['DRAFT', 'SCHEDULED']);
  });

  it('can be deleted in DRAFT only', () => {
    expect(statuses((row) => row.refuseIfNotDraft())).toEqual(['DRAFT']);
  });

  it('reports whether it changed', () => {
    expect(build().change({})).toBe(false);
    expect(build().change({ name: 'Spring', description: null })).toBe(false);
    const row = build();
    expect(row.change({ description: 'x' })).toBe(true);
    expect([row.name, row.description]).toEqual(['Spring', 'x']);
  });

  it('is validated as a whole', () => {
    expect(() => build().change({ audienceType: 'LIST' })).toThrow('One or more fields are invalid');
  });
});
