import type { RecordStatus } from '@posthorn/contracts';
import type { SigningAlgorithm } from '@posthorn/mail';
import type { SecretLocation } from '@posthorn/platform';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** PENDING until the record is found, ACTIVE while it signs, RETIRING while mail that it signed may be in transit. */
export type KeyState = 'PENDING' | 'ACTIVE' | 'RETIRING';

@Entity('dkim_keys')
export class DkimKeyRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') domainId: string;
  @Column('text') selector: string;
  @Column('text') algorithm: SigningAlgorithm;
  @Column('text') sealed: string;
  @Column('text') publicKey: string;
  @Column('text') state: KeyState;
  @Column('text') recordStatus: RecordStatus;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiringSince: Date | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;

  get location(): SecretLocation {
    return { table: 'dkim_keys', projectId: this.projectId, id: this.id };
  }
}
