import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A signature that does not cover its report belongs to the first report that came with it. Kept for nine hours. */
@Entity('hook_signatures')
export class HookSignatureRow {
  @PrimaryColumn('bytea', { name: 'token_hash' }) tokenHash: Buffer;
  @Column('bytea', { name: 'content_hash' }) contentHash: Buffer;
  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3, default: () => 'now()' }) seenAt: Date;
}
