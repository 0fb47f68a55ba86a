import type { SuppressedRecipients } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

interface AskedRecipients {
  projectId: string;
  emails: string[];
}

export class SuppressedRecipientsReadModel {
  constructor(private readonly database: Database) {}

  /** One look for all that ask at once, each answered in the order of its question. */
  async among(asked: AskedRecipients[]): Promise<SuppressedRecipients[]> {
    const rows = await this.database.query<{ place: number; email: string }>(
      `SELECT asked.place, asked.email FROM unnest($1::int[], $2::uuid[], $3::text[]) AS asked (place, project_id, email)
       JOIN suppressions USING (project_id, email)`,
      [
        asked.flatMap(({ emails }, place) => emails.map(() => place)),
        asked.flatMap(({ projectId, emails }) => emails.map(() => projectId)),
        asked.flatMap(({ emails }) => emails),
      ],
    );
    const found = Map.groupBy(rows, ({ place }) => place);
    return asked.map(({ emails }, place) => {
      const suppressed = new Set(found.get(place)?.map(({ email }) => email));
      return { emails: emails.filter((email) => suppressed.has(email)) };
    });
  }
}
