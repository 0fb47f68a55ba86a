import { grantedScopes, type Confinement, type GrantPreset, type Scope } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { lastFourOf, mintToken, type KeyMode } from './api-key-token.js';
import { hashOfToken } from '../identity/token-hash.js';

@Entity('api_keys')
export class ApiKeyRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { name: 'token_hash' }) tokenHash: string;
  @Column('text', { name: 'last_four' }) lastFour: string;
  @Column('text', { name: 'legacy_grant_preset' }) legacyGrantPreset: GrantPreset;
  @Column('text') mode: KeyMode;
  @Column('text', { array: true }) scopes: Scope[];
  @Column('uuid', { name: 'domain_id', nullable: true }) domainId: string | null;
  @Column('jsonb', { nullable: true }) confine: Confinement | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true }) revokedAt: Date | null;

  get granted(): readonly Scope[] {
    return grantedScopes(this.legacyGrantPreset, this.scopes);
  }

  renew(): string {
    const token = mintToken(this.legacyGrantPreset, this.mode);
    this.tokenHash = hashOfToken(token);
    this.lastFour = lastFourOf(token);
    return token;
  }

  revoke(at: Date): boolean {
    if (this.revokedAt) return false;
    this.revokedAt = at;
    return true;
  }
}
