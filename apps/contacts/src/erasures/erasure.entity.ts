import { erasingServices, type Erasure, type ErasingService } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The erasure of a person whose contact was deleted; it holds the sealed address until every service is done. */
@Entity('erasures')
export class ErasureRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text', { nullable: true }) sealed: string | null;
  @Column('jsonb') answers: Partial<Record<ErasingService, string>>;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'completed_at', precision: 3, nullable: true })
  completedAt: Date | null;

  toErasure(): Erasure {
    const { id, createdAt, completedAt, answers } = this;
    const services = erasingServices.map((service) => ({
      service,
      completedAt: answers[service] ? new Date(answers[service]) : null,
    }));
    return { id, contactId: id, createdAt, completedAt, services };
  }
}

@Entity('tombstones')
export class TombstoneRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('bytea', { name: 'address_hash' }) addressHash: Buffer;
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3 }) erasedAt: Date;
}

@Entity('erasure_secrets')
export class ErasureSecretRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') sealed: string;
}
