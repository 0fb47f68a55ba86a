import { describe, expect, it } from '@jest/globals';
import { requestCatalogue } from './catalogue.js';

/** What the last word of a subject says. A new word has to be added to one of them. */
const reading =
  'archived audience byIds calls campaign confirm_urls contacts content content_of emails errors events export failures get graph held html known links lint list look mail members missing moments names of ofEmail ofRecipient ofSend overview page part preview results progress projects sends_from standings stats subscribed suppressed texts timeseries top tryOut uses validate variables version versions workflow'.split(
    ' ',
  );
const writing =
  'accept acceptBatch add add_members append bulk cancel change choose_winner clone confirm create delete deleteMany disable drop enable ensure ensureRecipients erase handOver import limit pause prepare publish put rebuild record register release remove remove_members replay replayRange republish resend resume retry retry_failed revoke rotate rotateSecret rotate_dkim send set setState settle skipWait start subscribe test track unschedule unsubscribe unsubscribed update upsert verify withdraw'.split(
    ' ',
  );
const exceptions: Readonly<Record<string, boolean>> = {
  'sending.emails.check': true,
  'sending.campaignMail.check': true,
  'contacts.audiences.check': true,
  'campaigns.dry_runs.run': true,
  // It stores what it finds.
  'sending.domains.check': false,
};

const lastWord = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

describe('a request', () => {
  it.each(requestCatalogue.map((contract) => [contract.subject, contract] as const))(
    '%s says whether it only reads',
    (subject, { onlyReads }) => {
      const word = lastWord(subject);
      const expected = exceptions[subject] ?? (reading.includes(word) || !writing.includes(word));
      expect([...reading, ...writing, ...Object.keys(exceptions).map(lastWord)]).toContain(word);
      expect(onlyReads).toBe(expected);
    },
  );
});
