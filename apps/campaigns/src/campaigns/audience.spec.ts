import { describe, expect, it } from '@jest/globals';
import { audienceFaults } from './audience.js';

const id = '019b0000-0000-7000-8000-000000000001';
const all = { audienceType: 'ALL', audienceCondition: null, segmentId: null, listId: null } as const;
const faults = (changes: Partial<Parameters<typeof audienceFaults>[0]>) =>
  audienceFaults({ ...all, ...changes }).map(({ path, code }) => `${path.join('/')} ${code}`);

describe('the audience of a campaign', () => {
  it.each([
    [{}],
    [{ audienceType: 'SEGMENT', segmentId: id }],
    [{ audienceType: 'LIST', listId: id }],
    [{ audienceType: 'FILTERED', audienceCondition: {} }],
  ] as const)('can be %j', (changes) => expect(faults(changes)).toEqual([]));

  it.each([
    [{ audienceType: 'SEGMENT' }, ['segmentId required']],
    [{ audienceType: 'LIST' }, ['listId required']],
    [{ audienceType: 'LIST', segmentId: id }, ['segmentId not_allowed', 'listId required']],
    [{ listId: id }, ['listId not_allowed']],
    [{ audienceType: 'FILTERED' }, ['audienceCondition required']],
    [{ audienceCondition: {} }, ['audienceCondition not_allowed']],
  ] as const)('is refused: %j', (changes, expected) => expect(faults(changes)).toEqual(expected));
});
