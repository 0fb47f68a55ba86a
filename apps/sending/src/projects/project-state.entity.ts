import type { Tracking } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A read model of the gateway's events. Mail of unknown projects is not sent. */
@Entity('project_states')
export class ProjectStateRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** Null until an event of a release that publishes it; so are `tracking`, `language` and `timeZone`. */
  @Column('text', { nullable: true }) name: string | null;
  @Column('boolean') disabled: boolean;
  @Column('bigint') seq: number;
  @Column('text', { nullable: true }) tracking: Tracking | null;
  @Column('text', { nullable: true }) language: string | null;
  @Column('text', { name: 'time_zone', nullable: true }) timeZone: string | null;
  @Column('text', { name: 'postal_address', nullable: true }) postalAddress: string | null;
  /** Of marketing mail to one recipient, in `capDays`; null: no limit. */
  @Column('integer', { name: 'cap_messages', nullable: true }) capMessages: number | null;
  @Column('integer', { name: 'cap_days', nullable: true }) capDays: number | null;
}
