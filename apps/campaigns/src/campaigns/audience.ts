import type { AudienceType, Campaign, InvalidMember } from '@posthorn/contracts';

type Audience = Pick<Campaign, 'audienceType' | 'audienceCondition' | 'segmentId' | 'listId' | 'templateId'>;
type Reference = 'segmentId' | 'listId' | 'templateId';

const requiredBy: Readonly<Record<AudienceType, Reference | null>> = {
  ALL: null,
  FILTERED: null,
  SEGMENT: 'segmentId',
  LIST: 'listId',
};
const references: readonly Reference[] = ['templateId', 'segmentId', 'listId'];

/** All errors of an audience. References to templates, segments and lists are not served yet (docs/decisions/0006-unimplemented-features.md). */
export function audienceFaults(audience: Audience): InvalidMember[] {
  const needed = requiredBy[audience.audienceType];
  const faults = references
    .filter((name) => audience[name] !== null)
    .map((name): InvalidMember => ({
      path: [name],
      code: 'not_found',
      message: 'does not exist in this project',
    }));
  if (needed !== null && audience[needed] === null)
    faults.push({ path: [needed], code: 'required', message: `is required for ${audience.audienceType}` });
  if (audience.audienceType === 'FILTERED')
    faults.push({
      path: ['audienceType'],
      code: 'not_allowed',
      message: 'FILTERED is not served yet: conditions come with segments',
    });
  else if (audience.audienceCondition !== null)
    faults.push({ path: ['audienceCondition'], code: 'not_allowed', message: 'is for FILTERED only' });
  return faults;
}
