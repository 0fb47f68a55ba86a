import { toAscii } from '@posthorn/contracts';
import { escapeLike, TtlCache, type Database, type PageFilter } from '@posthorn/database';

const commonShare = 0.05;
/** An address of the sample may have a rare word by chance. */
const maxOfRare = 1;
const largeShare = 0.1;

/**
 * Searches for a part of the address. The index has the places of every three letters, and reads all of those that a term names, although the rarest few say where to
 * look: of `anna@gmail.com` the places of `anna`, and not a million of `gmail`. Which words are common, a sample tells: what Postgres has seen when it last
 * looked at the table, so that of what came since a word may be more common than it seems.
 */
export class AddressSearch {
  private readonly addresses = new TtlCache(() => this.sample());
  private readonly shares = new TtlCache((projectId) => this.shareOf(projectId));

  constructor(private readonly database: Database) {}

  /** For rows of the alias `row`. */
  async filterOf(projectId: string, term: string): Promise<PageFilter> {
    const search = asStored(term);
    const texts = rareTerms(search, await this.addresses.of());
    if (texts.length === 0)
      return { sql: 'row.email LIKE :search', parameters: { search: containing(search) } };
    const named = texts.map((_, index) => `:word${index}`);
    const parameters = {
      ...Object.fromEntries(texts.map((text, index) => [`word${index}`, containing(text)])),
      search,
    };
    const has = (alias: string) =>
      [...named.map((name) => `${alias}.email LIKE ${name}`), `strpos(${alias}.email, :search) > 0`].join(
        ' AND ',
      );
    if ((await this.shares.of(projectId)) < largeShare) return { sql: has('row'), parameters };
    // The places of a project that has most contacts are no less common: its rows are told from the others' after they are found.
    const found = `SELECT found.ctid FROM contacts found WHERE ${has('found')} AND found.project_id IS NOT DISTINCT FROM :searched`;
    return { sql: `row.ctid = ANY (ARRAY(${found}))`, parameters: { ...parameters, searched: projectId } };
  }

  /** About a hundred, of all projects; none where there is no such index. */
  private async sample(): Promise<string[]> {
    const [row] = await this.database.query<{ addresses: string[] }>(
      `SELECT histogram_bounds::text::text[] AS addresses FROM pg_stats
       WHERE schemaname = current_schema() AND tablename = 'contacts' AND attname = 'email'
         AND histogram_bounds IS NOT NULL AND to_regclass('contacts_by_address_part') IS NOT NULL`,
    );
    // The first and the last are there whatever they are.
    return row?.addresses.slice(1, -1) ?? [];
  }

  /** Of the project among all contacts. */
  private async shareOf(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ share: number | null }>(
      `SELECT most_common_freqs[array_position(most_common_vals::text::text[], $1)] AS share FROM pg_stats
       WHERE schemaname = current_schema() AND tablename = 'contacts' AND attname = 'project_id'`,
      [projectId.toLowerCase()],
    );
    return row?.share ?? 0;
  }
}

const startAfter = /(?<=@)[^@]*[^\p{ASCII}@][^@]*$/u;

/** As addresses are: in lower case, and a domain of other letters as DNS has it, where it can be one. */
export function asStored(term: string): string {
  const lower = (term.trim() || term).normalize('NFC').toLowerCase();
  return lower.replace(startAfter, (domain) => toAscii(domain) || domain);
}

const containing = (part: string): string => `%${escapeLike(part)}%`;

/** Of other letters the index has no places where the database does not know them as letters. */
const lettersOfTheIndex = /[a-z0-9]{3,}/g;

/**
 * The words of a term that are not common, without the characters beside them: how a word begins or ends is more common than what it says. None
 * where none is rare, or the term is that word.
 */
export function rareTerms(term: string, addresses: readonly string[]): string[] {
  const texts = (term.match(lettersOfTheIndex) ?? []).map((text) => ({
    word: text,
    hits: addresses.filter((each) => each.includes(text)).length,
  }));
  const uncommon = texts.filter(({ hits }) => hits < commonShare * addresses.length);
  const rare = uncommon.some(({ hits }) => hits <= maxOfRare) ? uncommon.map(({ word: text }) => text) : [];
  return rare.join() === term ? [] : rare;
}
