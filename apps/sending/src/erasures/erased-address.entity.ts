import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That an address was erased: what comes late, or anew, of whether it wants mail is kept under its hash, too. */
@Entity('erased_addresses')
export class ErasedAddressRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** In the form of an address. */
  @PrimaryColumn('text') email: string;
  /** Whose it was last. */
  @Column('uuid', { name: 'contact_id' }) contactId: string;
  /** When that was last asked for. */
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3 }) erasedAt: Date;
}

/** What addresses are hashed with: one row. */
@Entity('erasure_secrets')
export class ErasureSecretRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') sealed: string;
}
