/**
 * The contact with an address, in a statement whose plan is kept. As the first address from that one on, because only the index by
 * address is in that order: by equality alone, every index that begins with the project costs the same while the table is small or
 * most projects are, and a kept plan would go on to read a whole project for each address.
 */
export const contactAt = (
  { project, email }: { project: string; email: string },
  selected: string,
  alias = 'nearest',
): string => `SELECT ${selected} FROM (
      SELECT * FROM contacts c WHERE c.project_id = ${project} AND c.email >= ${email} ORDER BY c.email LIMIT 1
    ) AS ${alias} WHERE ${alias}.email = ${email}`;

export const ofRequested = { project: 'requested.project_id', email: 'requested.email' };
