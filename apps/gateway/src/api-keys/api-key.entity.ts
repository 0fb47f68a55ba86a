import type { GrantPreset, Scope } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyMode } from './api-key-token.js';

@Entity('api_keys')
export class ApiKeyRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  /** The token itself is stored nowhere. */
  @Column('text', { name: 'token_hash' }) tokenHash: string;
  @Column('text', { name: 'last_four' }) lastFour: string;
  @Column('text', { name: 'legacy_grant_preset' }) legacyGrantPreset: GrantPreset;
  @Column('text') mode: KeyMode;
  @Column('text', { array: true }) scopes: Scope[];
  @Column('uuid', { name: 'domain_id', nullable: true }) domainId: string | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true }) lastUsedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true }) revokedAt: Date | null;

  /** Answers whether anything changed: a key is revoked once. */
  revoke(at: Date): boolean {
    if (this.revokedAt) return false;
    this.revokedAt = at;
    return true;
  }
}
