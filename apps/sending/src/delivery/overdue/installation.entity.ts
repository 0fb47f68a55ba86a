import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: which database this is, and when a worker last used it. */
@Entity('installation')
export class InstallationRow {
  @PrimaryColumn('boolean') singleton: boolean;
  /** The cluster and the database: a restored dump has another one, a physical copy the same. */
  @Column('text', { name: 'database_identity' }) databaseIdentity: string;
  @Column({ type: 'timestamptz', name: 'alive_at', precision: 3 }) aliveAt: Date;
  /** While overdue mail is being held: what became due before. */
  @Column({ type: 'timestamptz', name: 'hold_before', precision: 3, nullable: true }) holdBefore: Date | null;
}
