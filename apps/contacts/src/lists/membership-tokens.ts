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
    const now = await this.clock.now();
    const known = this.of(row).find((token) => row.isConfirmedBy(ConfirmTokens.hashOf(token), now));
    if (known) return known;
    row.tokenRound += 1;
    const [token] = this.of(row);
    row.tokenHash = ConfirmTokens.hashOf(token!);
    return token!;
  }

  urlOf(token: string): string {
    return `${this.config.publicUrl.replace(/\/+$/, '')}/api/lists/confirm-subscription?token=${token}`;
  }

  async isValid(row: MembershipRow, tokenHash: string): Promise<boolean> {
    return row.isConfirmedBy(tokenHash, await this.clock.now());
  }

  private of({ projectId, id, tokenRound }: MembershipRow): string[] {
    return this.tokens.of({ projectId, membershipId: id, round: tokenRound });
  }
}
