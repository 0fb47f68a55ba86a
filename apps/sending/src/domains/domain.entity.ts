import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('domains')
export class DomainRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text', { unique: true }) domain: string;
  @Column('boolean') verified: boolean;
  /** Supplies the sender where a send names none; one a project. */
  @Column('boolean', { name: 'is_default' }) isDefault: boolean;
  @Column('text', { name: 'default_from_address', nullable: true }) defaultFromAddress: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;

  get sender(): string {
    return this.defaultFromAddress ?? `hello@${this.domain}`;
  }
}
