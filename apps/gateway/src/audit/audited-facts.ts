import {
  campaignFacts,
  contactFacts,
  domainFacts,
  emailFacts,
  listFacts,
  suppressionFacts,
  templateFacts,
  workflowFacts,
  type FactContract,
} from '@posthorn/contracts';

/** A fact that stands in the audit log where a caller is behind it. */
interface Audited {
  contract: FactContract;
  type: string;
  idOf: (item: object) => string;
}

function audited<Item extends object>(type: string, contracts: readonly FactContract<Item>[], idOf: (item: Item) => string): Audited[] {
  return contracts.map((contract) => ({ contract: contract as unknown as FactContract, type, idOf: idOf as Audited['idOf'] }));
}

const { created, updated, subscribed, unsubscribed } = contactFacts;
const { changed, deleted, launched, paused, resumed, cancelled } = campaignFacts;

/** What people and keys change in other services. Sends are no changes: the e-mails themselves are their log. */
const all: readonly Audited[] = [
  ...audited('contact', [created, updated, subscribed, unsubscribed], ({ contactId }) => contactId),
  ...audited('contact', [contactFacts.deleted], ({ contactId }) => contactId),
  ...audited('list', Object.values(listFacts), ({ listId }) => listId),
  ...audited('campaign', [changed, deleted, launched, paused, resumed, cancelled], ({ campaignId }) => campaignId),
  ...audited('workflow', [workflowFacts.changed, workflowFacts.deleted], ({ workflowId }) => workflowId),
  ...audited('template', [templateFacts.changed, templateFacts.deleted], ({ templateId }) => templateId),
  ...audited('suppression', [suppressionFacts.added, suppressionFacts.removed], ({ email }) => email),
  ...audited('domain', Object.values(domainFacts), ({ domainId }) => domainId),
  ...audited('email', [emailFacts.cancelled], ({ emailId }) => emailId),
];

export const auditedFacts: ReadonlyMap<string, Audited> = new Map(all.map((each) => [each.contract.name, each]));
export const auditedContracts = all.map(({ contract }) => contract);

/** `contacts.contact.deleted` is the action `contact.deleted`. */
export const actionOf = ({ name, owner }: FactContract): string => name.slice(owner.length + 1);
