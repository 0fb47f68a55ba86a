import { describe, expect, it } from '@jest/globals';
import { audienceFaults } from './audience.js';

const id = '019b0000-0000-7000-8000-000000000001';
const all = {
  audienceType: 'ALL',
  audienceCondition: null,
  segmentId: null,
  listId: null,
  templateId: null,
} as const;
const faults = (changes: Partial<Parameters<typeof audienceFaults>[0]>) =>
  audienceFaults({ ...all, ...changes }).map(({ path, code }) => `${path.join('/')} ${code}`);

describe('the audience of a campaign', () => {
  it('can be ALL', () => expect(faults({})).toEqual([]));

  it.each([
    [{ audienceType: 'SEGMENT' }, ['segmentId required']],
    [{ audienceType: 'LIST' }, ['listId required']],
    [{ audienceType: 'LIST', segmentId: id }, ['segmentId not_found', 'listId required']],
    [{ audienceType: 'SEGMENT', segmentId: id }, ['segmentId not_found']],
    [{ audienceType: 'LIST', listId: id, templateId: id }, ['templateId not_found', 'listId not_found']],
    [{ listId: id }, ['listId not_found']],
    [{ audienceType: 'FILTERED' }, ['audienceType not_allowed']],
    [{ audienceType: 'FILTERED', audienceCondition: {} }, ['audienceType not_allowed']],
    [{ audienceCondition: {} }, ['audienceCondition not_allowed']],
  ] as const)('is refused: %j', (changes, expected) => expect(faults(changes)).toEqual(expected));
});
