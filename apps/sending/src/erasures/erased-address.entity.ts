import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Suppressions and opt-outs that arrive later for an erased address are stored under its hash. */
@Entity('erased_addresses')
export class ErasedAddressRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** The hash of the address, with the domain erased.invalid. */
  @PrimaryColumn('text') email: string;
  @Column('uuid', { name: 'contact_id' }) contactId: string;
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3 }) erasedAt: Date;
}

@Entity('erasure_secrets')
export class ErasureSecretRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') sealed: string;
}
