import { query } from '../schema/contract.js';
import { Count, FreeMap, Id, ListOf, Nested, Nullable, Text } from '../schema/fields.js';

export const maxFactMails = 200;

export class GetMailFacts {
  /** The last e-mail of the page before; all zeros for the first. */
  @Id() after: string;
  @Count({ min: 1, max: maxFactMails }) limit: number;
}

/** An event that an e-mail has caused, as far as counters need it: what subscribers of the event got, in its members. */
export class MailFact {
  @Text(1, 200) event: string;
  @FreeMap({ max: 64 * 1024 }) item: Record<string, unknown>;
}

/** Published within ten minutes, or not yet; subscribers that received it have counted it. */
export class MailFactUnderWay {
  @Id() eventId: string;
  @Nested(() => MailFact) fact: MailFact;
}

/** One snapshot: what is under way is also in `facts`. */
export class MailFacts {
  @Count() mails: number;
  @ListOf(() => MailFact, 0, 200_000) facts: MailFact[];
  @ListOf(() => MailFactUnderWay, 0, 200_000) underWay: MailFactUnderWay[];
  /** The last e-mail of this page; null after the last page. */
  @Id() @Nullable() next: string | null;
}

export class ProjectAfter {
  @Id() after: string;
}

export class ProjectWithMail {
  @Id() @Nullable() projectId: string | null;
}

export const mailFacts = {
  /** In the order of ids, of the mail that sending still stores. */
  page: query('sending.mailFacts.page', GetMailFacts, MailFacts),
  /** The next project with mail, in the order of ids. */
  projects: query('sending.mailFacts.projects', ProjectAfter, ProjectWithMail),
};
