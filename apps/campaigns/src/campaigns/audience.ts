import type { Audience as WholeAudience, AudienceType, Campaign, InvalidMember } from '@posthorn/contracts';

type Audience = Pick<Campaign, 'audienceType' | 'audienceCondition' | 'segmentId' | 'listId'>;
type Part = 'audienceCondition' | 'segmentId' | 'listId';

const needed: Readonly<Record<AudienceType, Part | null>> = {
  ALL: null,
  FILTERED: 'audienceCondition',
  SEGMENT: 'segmentId',
  LIST: 'listId',
};
const parts: readonly Part[] = ['audienceCondition', 'segmentId', 'listId'];

export const audienceOf = ({
  audienceType,
  audienceCondition,
  segmentId,
  listId,
  excludeSegmentIds,
  excludeListIds,
}: WholeAudience): WholeAudience => ({
  audienceType,
  audienceCondition,
  segmentId,
  listId,
  excludeSegmentIds,
  excludeListIds,
});

/** Transactional mail ignores topics. */
export const topicOf = ({
  emailCategory,
  topicId,
}: Pick<Campaign, 'emailCategory' | 'topicId'>): string | null =>
  emailCategory === 'MARKETING' ? topicId : null;

/** Whether segments and lists exist is checked by the contacts service. */
export function audienceFaults(audience: Audience): InvalidMember[] {
  const part = needed[audience.audienceType];
  return parts.flatMap((name): InvalidMember[] => {
    if (name === part && audience[name] === null)
      return [{ path: [name], code: 'required', message: `is required for ${audience.audienceType}` }];
    if (name !== part && audience[name] !== null)
      return [
        {
          path: [name],
          code: 'not_allowed',
          message: `does not belong to the audience ${audience.audienceType}`,
        },
      ];
    return [];
  });
}
