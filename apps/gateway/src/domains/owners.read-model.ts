import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

@Injectable()
export class OwnersReadModel {
  constructor(private readonly database: Database) {}

  async addressesOf(projectId: string): Promise<string[]> {
    const owners = await this.database.query<{ email: string }>(
      `SELECT person.email FROM members member JOIN auth_users person ON person.id = member.user_id
       WHERE member.project_id = $1 AND member.role = 'OWNER' AND person."emailVerified" ORDER BY member.user_id LIMIT 100`,
      [projectId],
    );
    return owners.map(({ email }) => email);
  }
}
