import type { SuppressedRecipients } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { ErasedNames } from '../erasures/erased-names.js';

interface AskedRecipients {
  projectId: string;
  emails: string[];
}

export class SuppressedRecipientsReadModel {
  constructor(
    private readonly database: Database,
    private readonly hashes: ErasedNames,
  ) {}

  /** One look for all that ask at once, each answered in the order of its question. */
  async among(asked: AskedRecipients[]): Promise<SuppressedRecipients[]> {
    const looked = asked.flatMap(({ projectId, emails }, place) =>
      emails.flatMap((email) => [email, this.hashes.of(projectId, email)].map((known) => ({ place, projectId, email, known }))),
    );
    const rows = await this.database.query<{ place: number; email: string }>(
      `SELECT asked.place, asked.email FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, email, known)
       JOIN suppressions s ON s.project_id = asked.project_id AND s.email = asked.known`,
      [
        looked.map(({ place }) => place),
        looked.map(({ projectId }) => projectId),
        looked.map(({ email }) => email),
        looked.map(({ known }) => known),
      ],
    );
    const found = Map.groupBy(rows, ({ place }) => place);
    return asked.map(({ emails }, place) => {
      const suppressed = new Set(found.get(place)?.map(({ email }) => email));
      return { emails: emails.filter((email) => suppressed.has(email)) };
    });
  }
}
