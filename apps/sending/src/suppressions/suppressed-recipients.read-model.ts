import type { SuppressedRecipients } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { ErasedNames } from '../erasures/erased-names.js';

interface RequestedRecipients {
  projectId: string;
  emails: string[];
}

export class SuppressedRecipientsReadModel {
  constructor(
    private readonly database: Database,
    private readonly hashes: ErasedNames,
  ) {}

  /** One query for all calls gathered meanwhile, answered in their order. */
  async among(requested: RequestedRecipients[]): Promise<SuppressedRecipients[]> {
    const checked = requested.flatMap(({ projectId, emails }, index) =>
      emails.flatMap((email) =>
        [email, this.hashes.of(projectId, email)].map((known) => ({ place: index, projectId, email, known })),
      ),
    );
    const rows = await this.database.query<{ place: number; email: string }>(
      `SELECT asked.place, asked.email FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS asked (place, project_id, email, known)
       JOIN suppressions s ON s.project_id = asked.project_id AND s.email = asked.known`,
      [
        checked.map(({ place: index }) => index),
        checked.map(({ projectId }) => projectId),
        checked.map(({ email }) => email),
        checked.map(({ known }) => known),
      ],
    );
    const found = Map.groupBy(rows, ({ place: index }) => index);
    return requested.map(({ emails }, index) => {
      const suppressed = new Set(found.get(index)?.map(({ email }) => email));
      return { emails: emails.filter((email) => suppressed.has(email)) };
    });
  }
}
