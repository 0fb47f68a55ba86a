import { audiences } from '../contacts/audiences.js';
import { campaignMail } from '../sending/campaign-mail.js';
import { copyEvents } from '../sending/copied-mail.js';
import { emailEvents, emails } from '../sending/emails.js';
import { workflowMail } from '../sending/workflow-mail.js';
import { mailFacts } from '../sending/mail-facts.js';
import { mailHistory } from '../sending/mail-history.js';
import { optOuts } from '../sending/opt-outs.js';
import { dmarc } from '../sending/dmarc.js';
import { domainEvents, domains } from '../sending/domains.js';
import { templates, templateUses } from '../sending/templates.js';
import { allowances, usageEvents } from '../sending/usage.js';
import { contactEvents, contacts } from '../contacts/contacts.js';
import { contactLookups } from '../contacts/contact-lookups.js';
import { listUses, memberships } from '../contacts/lists.js';
import { segmentUses } from '../contacts/segments.js';
import { topicChoices, topics } from '../contacts/topics.js';
import { campaignEvents, campaigns } from '../campaigns/campaigns.js';
import { authorities } from '../gateway/authorities.js';
import { projectEvents, projects } from '../gateway/projects.js';
import {
  serviceNames,
  type EventContract,
  type RequestContract,
  type ServiceName,
} from '../schema/contract.js';
import { eventCatalogue, requestCatalogue } from './catalogue.js';
import { eraseIn } from './erasures.js';
import { operations } from './operations.js';
import { counters, mailSummaries, readModels } from './read-models.js';
import { secrets } from './secrets.js';
import { webhookEvents } from '../workflows/webhooks.js';

/** Who connects to NATS: each service, and the operator's commands. */
export type BusUser = ServiceName | 'operator';
export const busUsers: readonly BusUser[] = [...serviceNames, 'operator'];

export interface ReceivedEvent {
  event: EventContract;
  /** With the service it names the subscriber in the inbox and in dead letters: `<service>-<purpose>`. */
  purpose: string;
}

/** What a user may do on the bus beyond answering its own requests and publishing its own events. */
export interface BusAccess {
  calls: readonly RequestContract[];
  receives: readonly ReceivedEvent[];
  /** Whose events it reads as they come, for the live stream: with an ephemeral consumer, which keeps nothing. */
  follows?: readonly ServiceName[];
}

export const subscriberOf = (service: ServiceName, purpose: string): string => `${service}-${purpose}`;

/** A subscriber for each event. */
export const receivedEach = (events: readonly EventContract[], purpose: string): ReceivedEvent[] =>
  events.map((event) => ({ event, purpose: `${purpose}-${event.name.replace(/[._]/g, '-')}` }));

const operatorOnly = new Set<RequestContract>(
  [...Object.values(operations), secrets, readModels, counters, allowances].flatMap((group) =>
    Object.values(group),
  ),
);

/** Allow-lists of NATS users (docs/decisions/0024-bus-users.md). A service that handles an event not listed
 * here does not start; a call not listed is refused by NATS. */
export const busAccess: Readonly<Record<BusUser, BusAccess>> = {
  gateway: {
    calls: requestCatalogue.filter((contract) => contract.owner !== 'gateway' && !operatorOnly.has(contract)),
    receives: [
      { event: domainEvents.unverified, purpose: 'domain-mails' },
      { event: usageEvents.warned, purpose: 'usage-mails' },
      { event: webhookEvents.disabled, purpose: 'webhook-mails' },
      ...receivedEach(
        [emailEvents.sent, emailEvents.bounced, emailEvents.complained, ...Object.values(copyEvents)],
        'reputation',
      ),
      ...receivedEach(eventCatalogue, 'audit'),
    ],
    follows: ['sending', 'contacts', 'campaigns', 'workflows'],
  },
  sending: {
    calls: [
      projects.list,
      projects.get,
      contacts.get,
      contacts.ensureRecipients,
      contacts.subscribed,
      contacts.variables,
      campaigns.sendsFrom,
      ...Object.values(templateUses),
    ],
    receives: [
      { event: projectEvents.changed, purpose: 'project-states' },
      ...receivedEach([contactEvents.subscribed, contactEvents.unsubscribed], 'opt-outs'),
    ],
  },
  contacts: {
    calls: [
      optOuts.put,
      templates.get,
      mailHistory.page,
      mailSummaries.of,
      ...Object.values(segmentUses),
      ...Object.values(listUses),
      ...Object.values(eraseIn),
    ],
    receives: [
      { event: emailEvents.accepted, purpose: 'recipients' },
      ...receivedEach(
        [
          emailEvents.sent,
          emailEvents.delivered,
          emailEvents.complained,
          emailEvents.bounced,
          emailEvents.opened,
          emailEvents.clicked,
        ],
        'summaries',
      ),
    ],
  },
  campaigns: {
    calls: [
      projects.get,
      topics.get,
      topicChoices.missing,
      ...Object.values(audiences),
      ...Object.values(campaignMail),
    ],
    receives: [
      { event: projectEvents.changed, purpose: 'campaign-pauses' },
      ...receivedEach(
        [
          emailEvents.sent,
          emailEvents.delivered,
          emailEvents.bounced,
          emailEvents.failed,
          emailEvents.cancelled,
          emailEvents.opened,
          emailEvents.clicked,
          emailEvents.complained,
          emailEvents.unsubscribed,
        ],
        'results',
      ),
    ],
  },
  workflows: {
    calls: [
      projects.get,
      ...Object.values(authorities),
      audiences.validate,
      audiences.page,
      templates.known,
      ...Object.values(contactLookups),
      contacts.update,
      memberships.confirmUrls,
      campaigns.get,
      emails.accept,
      emails.check,
      emails.get,
      ...Object.values(workflowMail),
    ],
    receives: [
      ...receivedEach(
        [
          emailEvents.sent,
          emailEvents.delivered,
          emailEvents.opened,
          emailEvents.clicked,
          emailEvents.bounced,
          emailEvents.complained,
          contactEvents.subscribed,
          contactEvents.unsubscribed,
          contactEvents.segmentEntered,
          contactEvents.segmentLeft,
          contactEvents.eventRecorded,
        ],
        'workflows',
      ),
      ...receivedEach(
        [
          emailEvents.sent,
          emailEvents.delivered,
          emailEvents.delayed,
          emailEvents.opened,
          emailEvents.clicked,
          emailEvents.bounced,
          emailEvents.complained,
          emailEvents.failed,
          contactEvents.created,
          contactEvents.updated,
          contactEvents.subscribed,
          contactEvents.unsubscribed,
          contactEvents.deleted,
          contactEvents.bulkCreated,
          contactEvents.listPending,
          campaignEvents.sent,
        ],
        'webhooks',
      ),
    ],
  },
  analytics: {
    calls: [domains.list, dmarc.overview, ...Object.values(mailFacts)],
    receives: receivedEach(
      [
        emailEvents.accepted,
        emailEvents.sent,
        emailEvents.delivered,
        emailEvents.delayed,
        emailEvents.bounced,
        emailEvents.opened,
        emailEvents.clicked,
        emailEvents.complained,
        emailEvents.unsubscribed,
      ],
      'counts',
    ),
  },
  operator: { calls: requestCatalogue, receives: [] },
};
