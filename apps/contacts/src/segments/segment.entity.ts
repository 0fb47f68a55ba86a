import { isDeepStrictEqual } from 'node:util';
import type { Segment, SegmentEvent, SegmentType, SegmentUpkeep, UpdateSegment } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type RawCondition = Record<string, unknown>;

export interface SegmentChange {
  renamed: boolean;
  /** The condition changed or tracking began: members have to be found again, without events. */
  rebased: boolean;
  any: boolean;
}

@Entity('segments')
export class SegmentRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint') seq: number;
  @Column('text') name: string;
  /** Part of the names of its entry and exit events; former slugs are in `segment_slugs`. */
  @Column('text') slug: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') type: SegmentType;
  @Column('jsonb', { nullable: true }) condition: RawCondition | null;
  @Column('boolean') trackMembership: boolean;
  @Column('text') upkeep: SegmentUpkeep;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;
  /** Milliseconds that the condition took for all contacts when it was last measured. */
  @Column('integer') costMs: number;
  @Column({ type: 'timestamptz', precision: 3 }) refreshedAt: Date;

  change({
    name = this.name,
    description = this.description,
    condition,
    trackMembership = this.trackMembership,
  }: UpdateSegment): SegmentChange {
    const isDynamic = this.type === 'DYNAMIC';
    const renamed = name !== this.name;
    const redescribed = description !== this.description;
    const reconditioned =
      isDynamic && condition !== undefined && !isDeepStrictEqual(condition, this.condition);
    const tracked = trackMembership !== this.trackMembership;
    const rebased = reconditioned || (isDynamic && tracked && trackMembership);
    Object.assign(this, {
      name,
      description,
      trackMembership,
      slug: renamed ? slugOf(name, this.id) : this.slug,
    });
    if (reconditioned) this.condition = condition ?? null;
    return { renamed, rebased, any: renamed || redescribed || reconditioned || tracked };
  }

  toSegment(memberCount: number): Segment {
    const {
      id,
      projectId,
      name,
      description,
      type,
      condition,
      trackMembership,
      upkeep,
      createdAt,
      updatedAt,
    } = this;
    return {
      id,
      projectId,
      name,
      description,
      type,
      condition,
      trackMembership,
      memberCount,
      upkeep,
      createdAt,
      updatedAt,
    };
  }

  toEvent(contactId: string, at: Date): SegmentEvent {
    return { contactId, segmentId: this.id, slug: this.slug, name: this.name, at };
  }
}

export function slugOf(name: string, id: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? id : slug;
}
