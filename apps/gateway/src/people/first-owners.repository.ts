import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

@Injectable()
export class FirstOwnersRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, userId: string, at: Date): Promise<void> {
    await this.database.query(`INSERT INTO members (project_id, user_id, role, created_at) VALUES ($1, $2, 'OWNER', $3)`, [
      projectId,
      userId,
      at,
    ]);
  }
}
