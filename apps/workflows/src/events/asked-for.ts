import { type Database } from '@posthorn/database';
import { Interests, type Interest } from '@posthorn/messaging';

const kinds = ['occurrence', 'webhook'] as const;
type Kind = (typeof kinds)[number];

/** The name of an event for workflows, or the type of one for webhooks. */
export const interest = (kind: Kind, name: string): string => `${kind} ${name}`;

const kindOf = (of: string): string => of.slice(0, of.indexOf(' '));
const nameOf = (of: string): string => of.slice(of.indexOf(' ') + 1);

/** Enabled workflows that an event starts, waits for it, and webhooks that ask for it, as committed now. */
export class AskedFor extends Interests {
  constructor(private readonly database: Database) {
    super();
  }

  async among(interests: readonly Interest[]): Promise<Interest[]> {
    const asked = await this.database.often<{ index: number }>(askedForSql, [
      interests.map(({ projectId }) => projectId),
      interests.map((each) => kindOf(each.key)),
      interests.map((each) => nameOf(each.key)),
    ]);
    return asked.map(({ index }) => interests[index - 1]!);
  }
}

// As `triggeredBy` of starts and `awaitedNames` of waits, for many projects. What paused and disabled webhooks miss can be replayed.
export const askedForSql = `
  SELECT k.n::int AS index FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS k (project, kind, name, n)
  WHERE CASE k.kind WHEN 'webhook' THEN
      EXISTS (SELECT FROM webhooks w WHERE w.project_id = k.project AND w.event_types @> ARRAY[k.name])
    ELSE
      EXISTS (SELECT FROM workflows w WHERE w.project_id = k.project AND w.enabled AND w.trigger_type = 'EVENT' AND w.event_name = k.name)
      OR EXISTS (SELECT FROM workflow_steps s WHERE s.type = 'WAIT_FOR_EVENT' AND s.project_id = k.project AND s.config ->> 'eventName' = k.name)
      OR k.name = (SELECT min(e.event_name) FROM execution_waits e WHERE e.project_id = k.project AND e.event_name >= k.name)
    END`;
