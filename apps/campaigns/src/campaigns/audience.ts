import type { AudienceType, Campaign, InvalidMember } from '@posthorn/contracts';

type Audience = Pick<Campaign, 'audienceType' | 'audienceCondition' | 'segmentId' | 'listId' | 'templateId'>;
type Reference = 'segmentId' | 'listId' | 'templateId';

/** What each type cannot do without. */
const needs: Readonly<Record<AudienceType, Reference | null>> = {
  ALL: null,
  FILTERED: null,
  SEGMENT: 'segmentId',
  LIST: 'listId',
};
const references: readonly Reference[] = ['templateId', 'segmentId', 'listId'];

/**
 * What keeps a campaign from having this audience and this template, all at once. No template, segment or list exists
 * before its own routes do, so whichever id is given names nothing (docs/decisions/0006).
 */
export function audienceFaults(audience: Audience): InvalidMember[] {
  const needed = needs[audience.audienceType];
  const faults = references
    .filter((name) => audience[name] !== null)
    .map((name): InvalidMember => ({
      path: [name],
      code: 'not_found',
      message: 'names nothing in this project',
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
