import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

/** Rate windows are at most an hour long; applications without a grant are kept for 30 days, accounts that nobody confirmed for a week. */
const statements = [
  `DELETE FROM auth_sessions WHERE "expiresAt" < now()`,
  `DELETE FROM auth_verifications WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_access_tokens WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_refresh_tokens WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_client_assertions WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_consents consent WHERE "updatedAt" < now() - interval '1 hour'
     AND NOT EXISTS (SELECT FROM oauth_access_tokens token WHERE token."userId" = consent."userId"
                     AND token."referenceId" = consent."referenceId" AND token."clientId" = consent."clientId")
     AND NOT EXISTS (SELECT FROM oauth_refresh_tokens token WHERE token."userId" = consent."userId"
                     AND token."referenceId" = consent."referenceId" AND token."clientId" = consent."clientId")`,
  `DELETE FROM oauth_clients WHERE kept_since IS NULL AND "createdAt" < now() - interval '30 days'`,
  `DELETE FROM auth_rate_limits WHERE "lastRequest" < extract(epoch FROM now() - interval '2 hours') * 1000`,
  `DELETE FROM system_mail_recipients WHERE sent_at[cardinality(sent_at)] < now() - interval '1 day'`,
  `DELETE FROM auth_users person WHERE NOT "emailVerified" AND "createdAt" < now() - interval '7 days'
     AND NOT EXISTS (SELECT FROM members WHERE user_id = person.id)`,
];

@Injectable()
export class ExpiredRepository {
  constructor(private readonly database: Database) {}

  async forget(): Promise<void> {
    for (const statement of statements) await this.database.query(statement);
  }
}
