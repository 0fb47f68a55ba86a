import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A slug that a segment has, or once had: events of either name are its own. */
@Entity('segment_slugs')
export class SegmentSlugRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') slug: string;
  @Column('uuid', { name: 'segment_id' }) segmentId: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
}

/** One segment's condition names another segment. */
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

/** When time alone may next change what a live segment says of a contact. */
@Entity('segment_due')
export class SegmentDueRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
}

/** A project with segments that follow from conditions: changes of its contacts are marked. */
@Entity('segment_watches')
export class SegmentWatchRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column({ type: 'timestamptz', precision: 3 }) since: Date;
  /** Whoever wrote contacts without marking them has ended. */
  @Column('boolean') settled: boolean;
}

/** How many members a segment has, without the changes that are not folded in yet. */
@Entity('segment_counts')
export class SegmentCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'segment_id' }) segmentId: string;
  @Column('bigint') total: number;
}

/** One change of these counts, appended in the commit that caused it. */
@Entity('segment_count_deltas')
export class SegmentCountDelta {
  @PrimaryColumn('bigint') id: number;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  @Column('uuid', { name: 'segment_id' }) segmentId: string;
  @Column('integer') total: number;
}
