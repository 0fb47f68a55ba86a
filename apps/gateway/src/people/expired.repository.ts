import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

/**
 * What nobody can use any more: of sessions, of links, of tokens, of windows, none of which is longer than a minute, and of
 * applications that nobody let in within a week.
 */
const statements = [
  `DELETE FROM auth_sessions WHERE "expiresAt" < now()`,
  `DELETE FROM auth_verifications WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_access_tokens WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_refresh_tokens WHERE "expiresAt" < now()`,
  `DELETE FROM oauth_clients client WHERE "userId" IS NULL AND "createdAt" < now() - interval '7 days'
     AND NOT EXISTS (SELECT FROM oauth_consents WHERE "clientId" = client."clientId")`,
  `DELETE FROM auth_rate_limits WHERE "lastRequest" < extract(epoch FROM now() - interval '10 minutes') * 1000`,
];

@Injectable()
export class ExpiredRepository {
  constructor(private readonly database: Database) {}

  async forget(): Promise<void> {
    for (const statement of statements) await this.database.query(statement);
  }
}
