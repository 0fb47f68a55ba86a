import type { Tracking } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What sending must know of a project: a read model of the gateway's facts. An unknown project is not sent for. */
@Entity('project_states')
export class ProjectStateRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** Null, as `tracking` and `language`, while only a release that did not tell has told. */
  @Column('text', { nullable: true }) name: string | null;
  @Column('boolean') disabled: boolean;
  @Column('bigint') seq: number;
  @Column('text', { nullable: true }) tracking: Tracking | null;
  @Column('text', { nullable: true }) language: string | null;
}
