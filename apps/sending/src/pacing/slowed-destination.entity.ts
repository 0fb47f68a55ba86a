import type { Lane } from '../delivery/delivery.entity.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A destination that asked to slow down; `*` is all mail (docs/decisions/0027-adaptive-pace.md). */
@Entity('slowed_destinations')
export class SlowedDestinationRow {
  @PrimaryColumn('text', { name: 'provider' }) providerKind: string;
  @PrimaryColumn('text') destination: string;
  /** At which it counts as recovered. */
  @Column('double precision', { name: 'full_rate' }) fullRate: number;
  /** Messages a second when it was last slowed down. */
  @Column('double precision') rate: number;
  @Column({ type: 'timestamptz', name: 'slowed_at', precision: 3 }) slowedAt: Date;
}

/** What waits for a slowed destination stands in lines, one for each project and lane. */
@Entity('destination_lines')
export class DestinationLineRow {
  @PrimaryColumn('text', { name: 'provider' }) providerKind: string;
  @PrimaryColumn('text') destination: string;
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('smallint') lane: Lane;
  @Column('timestamptz', { name: 'last_turn_at' }) lastTurnAt: Date;
}

/** The destination of a domain, from its MX records. */
@Entity('destination_domains')
export class DestinationDomainRow {
  @PrimaryColumn('text') domain: string;
  @Column('text') destination: string;
  @Column({ type: 'timestamptz', name: 'found_at', precision: 3 }) foundAt: Date;
}

@Entity('domain_warm_ups')
export class DomainWarmUpRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') domain: string;
  @Column('date', { name: 'first_day' }) firstDay: string;
  @Column('date') day: string;
  @Column('integer') sent: number;
}
