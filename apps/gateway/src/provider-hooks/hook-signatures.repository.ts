import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Shared by all gateways. Of reports that come at once with one token, the first one to be kept is the token's. */
@Injectable()
export class HookSignatures {
  constructor(private readonly database: Database) {}

  /** Whether the token is that of this content, which it becomes if it is new. */
  async bind(token: string, content: string): Promise<boolean> {
    const rows = await this.database.query<{ content: Buffer }>(
      `INSERT INTO hook_signatures (token_hash, content_hash) VALUES ($1, $2)
       ON CONFLICT (token_hash) DO UPDATE SET seen_at = hook_signatures.seen_at RETURNING content_hash AS content`,
      [hash(token), hash(content)],
    );
    return rows[0]!.content.equals(hash(content));
  }

  /** Whether the token was kept with this content. */
  async isBound(token: string, content: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM hook_signatures WHERE token_hash = $1 AND content_hash = $2`,
      [hash(token), hash(content)],
    );
    return rows.length > 0;
  }
}
