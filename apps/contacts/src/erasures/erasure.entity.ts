import { erasingServices, type Erasure, type ErasingService } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The erasure of a person whose contact was deleted; it holds the sealed address until every service is done. */
@Entity('erasures')
export class ErasureRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text', { nullable: true }) sealed: string | null;
  @Column('jsonb') answers: Partial<Record<ErasingService, string>>;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
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

@Entity('erasure_secrets')
export class ErasureSecretRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') sealed: string;
}
