import { escapeLike, ShortMemory, type Database, type PageFilter } from '@posthorn/database';

/** What Postgres knows of the addresses since it last looked at them. */
interface Sample {
  /** About a hundred, of all projects. */
  addresses: string[];
  /** Of the project among all contacts. */
  share: number;
}

const commonShare = 0.05;
const largeShare = 0.1;
const ofATrigram = 3;

/**
 * Searches for a part of the address. The index has the places of every three letters, and reads all of those that a term names, although the rarest few say where to
 * look: of `anna@gmail.com` the places of `anna`, and not a million of `gmail`. Which words are common, a sample tells.
 */
export class AddressSearch {
  private readonly samples = new ShortMemory((projectId) => this.sample(projectId));

  constructor(private readonly database: Database) {}

  /** For rows of the alias `row`. */
  async filterOf(projectId: string, term: string): Promise<PageFilter> {
    // Addresses are stored in lower case, so a search in lower case finds them whatever its case was.
    const search = term.toLowerCase();
    const { addresses, share } = await this.samples.of(projectId);
    const parts = rareParts(search, addresses);
    if (parts.length === 0) return { sql: 'row.email LIKE :search', parameters: { search: containing(search) } };
    const named = parts.map((_, place) => `:part${place}`);
    const parameters = { ...Object.fromEntries(parts.map((part, place) => [`part${place}`, containing(part)])), search };
    const has = (alias: string) =>
      [...named.map((name) => `${alias}.email LIKE ${name}`), `strpos(${alias}.email, :search) > 0`].join(' AND ');
    if (share < largeShare) return { sql: has('row'), parameters };
    // The places of a project that has most contacts are no less common: its rows are told from the others' after they are found.
    const found = `SELECT found.ctid FROM contacts found WHERE ${has('found')} AND found.project_id IS NOT DISTINCT FROM :searched`;
    return { sql: `row.ctid = ANY (ARRAY(${found}))`, parameters: { ...parameters, searched: projectId } };
  }

  private async sample(projectId: string): Promise<Sample> {
    const [row] = await this.database.query<Sample>(
      `WITH known AS (SELECT * FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'contacts' AND attname IN ('project_id', 'email'))
       SELECT coalesce((SELECT histogram_bounds::text::text[] FROM known WHERE attname = 'email'), '{}') AS addresses,
         coalesce((SELECT most_common_freqs[array_position(most_common_vals::text::text[], $1)] FROM known WHERE attname = 'project_id'), 0) AS share`,
      [projectId.toLowerCase()],
    );
    return row!;
  }
}

const containing = (part: string): string => `%${escapeLike(part)}%`;

/**
 * The words of a term that are not common, with the characters beside them, which say where a word begins and ends; none where all of the term says
 * no less, or where none is rare.
 */
export function rareParts(term: string, addresses: readonly string[]): string[] {
  const words = [...term.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word,
    index,
    hits: addresses.filter((each) => each.includes(word)).length,
  }));
  const uncommon = words.filter(({ hits }) => hits < commonShare * addresses.length);
  const isRare = uncommon.some(({ word, hits }) => hits === 0 && word.length >= ofATrigram);
  if (!isRare || uncommon.length === words.length) return [];
  return uncommon.map(({ word, index }) => term.slice(Math.max(0, index - 1), index + word.length + 1));
}
