import {
  campaignEvents,
  contactEvents,
  domainEvents,
  emailEvents,
  executionEvents,
  listEvents,
  suppressionEvents,
  templateEvents,
  topicChoiceEvents,
  topicEvents,
  usageEvents,
  webhookEvents,
  workflowEvents,
  type EventContract,
} from '@posthorn/contracts';

interface Audited {
  contract: EventContract;
  type: string;
  idOf: (item: object) => string;
}

function audited<Item extends object>(
  type: string,
  contracts: readonly EventContract<Item>[],
  idOf: (item: Item) => string,
): Audited[] {
  return contracts.map((contract) => ({
    contract: contract as unknown as EventContract,
    type,
    idOf: idOf as Audited['idOf'],
  }));
}

const { created, updated, subscribed, unsubscribed } = contactEvents;
const { changed, deleted, launched, paused, resumed, cancelled } = campaignEvents;

/** Sends are not logged: the e-mails themselves are the record. */
const all: readonly Audited[] = [
  ...audited('contact', [created, updated, subscribed, unsubscribed], ({ contactId }) => contactId),
  ...audited('contact', [contactEvents.deleted], ({ contactId }) => contactId),
  ...audited('contact', [topicChoiceEvents.chosen], ({ contactId }) => contactId),
  ...audited('topic', [topicEvents.changed], ({ topicId }) => topicId),
  ...audited('list', Object.values(listEvents), ({ listId }) => listId),
  ...audited(
    'campaign',
    [changed, deleted, launched, paused, resumed, cancelled],
    ({ campaignId }) => campaignId,
  ),
  ...audited('workflow', [workflowEvents.changed, workflowEvents.deleted], ({ workflowId }) => workflowId),
  ...audited('execution', Object.values(executionEvents), ({ executionId }) => executionId),
  ...audited('webhook', [webhookEvents.changed], ({ webhookId }) => webhookId),
  ...audited('webhook', [webhookEvents.deleted, webhookEvents.secretRotated], ({ webhookId }) => webhookId),
  ...audited('template', [templateEvents.changed, templateEvents.deleted], ({ templateId }) => templateId),
  ...audited('suppression', [suppressionEvents.added, suppressionEvents.removed], ({ email }) => email),
  ...audited('domain', Object.values(domainEvents), ({ domainId }) => domainId),
  ...audited('usage', [usageEvents.changed], ({ projectId }) => projectId),
  ...audited('email', [emailEvents.cancelled], ({ emailId }) => emailId),
];

export const auditedEvents: ReadonlyMap<string, Audited> = new Map(
  all.map((each) => [each.contract.name, each]),
);
export const auditedContracts = all.map(({ contract }) => contract);

export const actionOf = ({ name, owner }: EventContract): string => name.slice(owner.length + 1);
