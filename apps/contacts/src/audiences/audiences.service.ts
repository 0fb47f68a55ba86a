import { Injectable } from '@nestjs/common';
import {
  invalid,
  audiences,
  type Audience,
  type AudiencePage,
  type AudienceType,
  type CheckAudience,
  type CheckedAudience,
  type GetAudiencePage,
  type MembershipFilter,
  type ValidAudience,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SegmentConditions } from '../segments/segment-conditions.js';
import { SegmentsRepository } from '../segments/segments.repository.js';
import { AudienceMembers, type ReadAudience } from './audience-members.read-model.js';

@Injectable()
export class AudiencesService {
  constructor(
    private readonly conditions: SegmentConditions,
    private readonly segments: SegmentsRepository,
    private readonly members: AudienceMembers,
  ) {}

  @Handles(audiences.check)
  async check({
    caller: { projectId },
    body: { subscribedOnly, topicId, ...audience },
  }: Incoming<CheckAudience>): Promise<CheckedAudience> {
    const read = await this.read(projectId, audience);
    return { hasMembers: await this.members.any(projectId, read, { subscribedOnly, topicId }) };
  }

  @Handles(audiences.page)
  async page({
    caller: { projectId },
    body: { audience, ...query },
  }: Incoming<GetAudiencePage>): Promise<AudiencePage> {
    return this.members.page(projectId, await this.read(projectId, audience), query);
  }

  @Handles(audiences.validate)
  async validate({ caller, body }: Incoming<Audience>): Promise<ValidAudience> {
    await this.read(caller.projectId, body);
    return { isValid: true };
  }

  private async read(projectId: string, audience: Audience): Promise<ReadAudience> {
    const { audienceType, audienceCondition } = audience;
    const [included, excluded] = [includedBy[audienceType](audience), excludedBy(audience)];
    const named = [...included, ...excluded];
    const known = named.length > 0 ? await this.segments.known(projectId, named) : new Set<string>();
    const unknown = named.filter(({ id }) => !known.has(id));
    if (unknown.length > 0)
      throw invalid(
        unknown.map(({ place }) => ({
          path: [...place],
          code: 'not_found',
          message: 'does not exist in this project',
        })),
      );
    return {
      source: included[0] ?? null,
      condition:
        audienceType === 'FILTERED'
          ? await this.conditions.read(projectId, audienceCondition, 'audienceCondition')
          : null,
      excluded,
    };
  }
}

const memberOf = (field: MembershipFilter['field'], id: string, ...place: string[]): MembershipFilter => ({
  field,
  operator: 'isMemberOf',
  id,
  place,
});

const includedBy: Readonly<Record<AudienceType, (audience: Audience) => MembershipFilter[]>> = {
  ALL: () => [],
  FILTERED: () => [],
  SEGMENT: ({ segmentId }) => (segmentId ? [memberOf('segment', segmentId, 'segmentId')] : []),
  LIST: ({ listId }) => (listId ? [memberOf('list', listId, 'listId')] : []),
};

const excludedBy = ({ excludeSegmentIds, excludeListIds }: Audience): MembershipFilter[] => [
  ...excludeSegmentIds.map((id, index) => memberOf('segment', id, 'excludeSegmentIds', String(index))),
  ...excludeListIds.map((id, index) => memberOf('list', id, 'excludeListIds', String(index))),
];
