import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '@posthorn/database';
import { ConfirmTokens } from '@posthorn/mail';
import { ContactsConfig } from '../config.js';
import type { MembershipRow } from './membership.entity.js';

@Injectable()
export class MembershipTokens {
  private readonly tokens: ConfirmTokens;

  constructor(
    private readonly config: ContactsConfig,
    private readonly clock: DatabaseClock,
  ) {
    this.tokens = new ConfirmTokens(config.secretKeys);
  }

  async issue(row: MembershipRow): Promise<string> {
    const known = await this.valid(row);
    if (known) return known;
    row.tokenRound += 1;
    const [token] = this.of(row);
    row.tokenHash = ConfirmTokens.hashOf(token!);
    return token!;
  }

  /** Null where the link has expired, or is no longer needed. */
  async urlOf(row: MembershipRow): Promise<string | null> {
    const token = await this.valid(row);
    return (
      token && `${this.config.publicUrl.replace(/\/+$/, '')}/api/lists/confirm-subscription?token=${token}`
    );
  }

  async isValid(row: MembershipRow, tokenHash: string): Promise<boolean> {
    return row.isConfirmedBy(tokenHash, await this.clock.now());
  }

  private async valid(row: MembershipRow): Promise<string | null> {
    const now = await this.clock.now();
    return this.of(row).find((token) => row.isConfirmedBy(ConfirmTokens.hashOf(token), now)) ?? null;
  }

  private of({ projectId, id, tokenRound }: MembershipRow): string[] {
    return this.tokens.of({ projectId, membershipId: id, round: tokenRound });
  }
}
