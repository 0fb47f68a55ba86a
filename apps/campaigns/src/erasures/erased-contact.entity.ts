import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Pages of an audience that were read before an erasure are written without these. */
@Entity('erased_contacts')
export class ErasedContactRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3 }) erasedAt: Date;
}
