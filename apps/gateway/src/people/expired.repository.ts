import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

const perStatement = 500;
const statementsPerTable = 20;

/** Rate windows are at most an hour long; applications without a grant are kept for 30 days, accounts that nobody confirmed for a week, signatures of hooks as long as Mailgun repeats. */
const expired: readonly [table: string, condition: string][] = [
  ['auth_sessions', `"expiresAt" < now()`],
  ['auth_verifications', `"expiresAt" < now()`],
  ['oauth_access_tokens', `"expiresAt" < now()`],
  ['oauth_refresh_tokens', `"expiresAt" < now()`],
  ['oauth_client_assertions', `"expiresAt" < now()`],
  [
    'oauth_consents',
    `"updatedAt" < now() - interval '1 hour'
     AND NOT EXISTS (SELECT FROM oauth_access_tokens token WHERE token."userId" = expired."userId"
                     AND token."referenceId" = expired."referenceId" AND token."clientId" = expired."clientId")
     AND NOT EXISTS (SELECT FROM oauth_refresh_tokens token WHERE token."userId" = expired."userId"
                     AND token."referenceId" = expired."referenceId" AND token."clientId" = expired."clientId")`,
  ],
  ['oauth_clients', `kept_since IS NULL AND "createdAt" < now() - interval '30 days'`],
  ['auth_rate_limits', `"lastRequest" < extract(epoch FROM now() - interval '2 hours') * 1000`],
  ['system_mail_recipients', `sent_at[cardinality(sent_at)] < now() - interval '1 day'`],
  ['hook_signatures', `seen_at < now() - interval '9 hours'`],
  [
    'auth_users',
    `NOT "emailVerified" AND "createdAt" < now() - interval '7 days'
     AND NOT EXISTS (SELECT FROM members WHERE user_id = expired.id)`,
  ],
];

/** Rows that others hold, or changed meanwhile, are left to the next statement. */
const removalOf = (table: string, condition: string): string =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM ${table} AS expired WHERE ${condition} LIMIT ${perStatement} FOR UPDATE SKIP LOCKED))
   RETURNING 1`;

@Injectable()
export class ExpiredRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether nothing is left: anybody can cause many rows, so a call removes few of each table at once. */
  async forget(): Promise<boolean> {
    let isDone = true;
    for (const [table, condition] of expired)
      isDone = (await this.remove(removalOf(table, condition))) && isDone;
    return isDone;
  }

  private async remove(statement: string): Promise<boolean> {
    for (let times = 0; times < statementsPerTable; times += 1)
      if ((await this.database.query(statement)).length < perStatement) return true;
    return false;
  }
}
