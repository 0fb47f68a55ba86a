import { toAscii } from '@posthorn/contracts';
import { escapeLike, TtlCache, type Database, type PageFilter } from '@posthorn/database';

const commonShare = 0.05;
/** One hit in the sample may be chance. */
const maxRareHits = 1;
const largeShare = 0.1;

/** The trigram index would read every entry of each term, although the rarest are enough: of `anna@gmail.com` those of `anna`, not of `gmail`. */
export class AddressSearch {
  private readonly addresses = new TtlCache(() => this.sample());
  private readonly shares = new TtlCache((projectId) => this.shareOf(projectId));

  constructor(private readonly database: Database) {}

  async filterOf(projectId: string, term: string): Promise<PageFilter> {
    const search = asStored(term);
    const terms = rareTerms(search, await this.addresses.of());
    if (terms.length === 0)
      return { sql: 'row.email LIKE :search', parameters: { search: containing(search) } };
    const named = terms.map((_, index) => `:term${index}`);
    const parameters = {
      ...Object.fromEntries(terms.map((each, index) => [`term${index}`, containing(each)])),
      search,
    };
    const has = (alias: string) =>
      [...named.map((name) => `${alias}.email LIKE ${name}`), `strpos(${alias}.email, :search) > 0`].join(
        ' AND ',
      );
    if ((await this.shares.of(projectId)) < largeShare) return { sql: has('row'), parameters };
    // An index on the project would exclude next to nothing here: the project is compared after the rows are found.
    const found = `SELECT found.ctid FROM contacts found WHERE ${has('found')} AND found.project_id IS NOT DISTINCT FROM :searched`;
    return { sql: `row.ctid = ANY (ARRAY(${found}))`, parameters: { ...parameters, searched: projectId } };
  }

  /** About a hundred addresses of all projects; none where there is no trigram index. */
  private async sample(): Promise<string[]> {
    const [row] = await this.database.query<{ addresses: string[] }>(
      `SELECT histogram_bounds::text::text[] AS addresses FROM pg_stats
       WHERE schemaname = current_schema() AND tablename = 'contacts' AND attname = 'email'
         AND histogram_bounds IS NOT NULL AND to_regclass('contacts_by_address_part') IS NOT NULL`,
    );
    // The bounds at both ends are extremes, not samples.
    return row?.addresses.slice(1, -1) ?? [];
  }

  private async shareOf(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ share: number | null }>(
      `SELECT most_common_freqs[array_position(most_common_vals::text::text[], $1)] AS share FROM pg_stats
       WHERE schemaname = current_schema() AND tablename = 'contacts' AND attname = 'project_id'`,
      [projectId.toLowerCase()],
    );
    return row?.share ?? 0;
  }
}

const internationalDomain = /(?<=@)[^@]*[^\p{ASCII}@][^@]*$/u;

export function asStored(term: string): string {
  const lower = (term.trim() || term).normalize('NFC').toLowerCase();
  return lower.replace(internationalDomain, (domain) => toAscii(domain) || domain);
}

const containing = (part: string): string => `%${escapeLike(part)}%`;

// The index has no trigrams of letters that the database's locale does not know.
const indexedTerms = /[a-z0-9]{3,}/g;

/** The uncommon terms of a search, without punctuation; none where no term is rare, or the search is a single term. */
export function rareTerms(search: string, addresses: readonly string[]): string[] {
  const terms = (search.match(indexedTerms) ?? []).map((term) => ({
    term,
    hits: addresses.filter((each) => each.includes(term)).length,
  }));
  const uncommon = terms.filter(({ hits }) => hits < commonShare * addresses.length);
  const rare = uncommon.some(({ hits }) => hits <= maxRareHits) ? uncommon.map(({ term }) => term) : [];
  return rare.join() === search ? [] : rare;
}
