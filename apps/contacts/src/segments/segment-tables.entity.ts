import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A current or former slug of a segment, which no other one may take. */
@Entity('segment_slugs')
export class SegmentSlugRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') slug: string;
  @Column('uuid', { name: 'segment_id' }) segmentId: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
}

@Entity('segment_edges')
export class SegmentEdgeRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @PrimaryColumn('uuid', { name: 'names_id' }) namesId: string;
}

@Entity('segment_members')
export class SegmentMemberRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
}

@Entity('segment_due')
export class SegmentDueRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
}

/** A project with DYNAMIC segments: changes of its contacts are marked. */
@Entity('segment_watches')
export class SegmentWatchRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  /** No transaction is left that writes contacts without marking them. */
  @Column('boolean') settled: boolean;
}

@Entity('segment_counts')
export class SegmentCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @Column('bigint') total: number;
}

@Entity('segment_count_deltas')
export class SegmentCountDelta {
  @PrimaryColumn('bigint') id: number;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('uuid', { name: 'segment_id' }) segmentId: string;
  @Column('integer') total: number;
}
