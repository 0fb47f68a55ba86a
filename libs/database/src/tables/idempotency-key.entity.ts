import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('idempotency_keys')
export class IdempotencyKeyRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text') operation: string;
  @PrimaryColumn('text') key: string;
  @Column('text', { name: 'body_hash' }) bodyHash: string;
  @Column('jsonb') receipt: object;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
