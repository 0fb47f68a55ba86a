import { grantedScopes, type Confinement, type GrantPreset, type Scope } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { lastFourOf, mintToken, type KeyMode } from './api-key-token.js';
import { hashOfToken } from '../identity/tokens.js';

@Entity('api_keys')
export class ApiKeyRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text') tokenHash: string;
  @Column('text') lastFour: string;
  @Column('text') legacyGrantPreset: GrantPreset;
  @Column('text') mode: KeyMode;
  @Column('text', { array: true }) scopes: Scope[];
  @Column('uuid', { nullable: true }) domainId: string | null;
  @Column('jsonb', { nullable: true }) confine: Confinement | null;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) revokedAt: Date | null;

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
