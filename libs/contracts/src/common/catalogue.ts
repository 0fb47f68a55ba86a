import { activity } from '../contacts/activity.js';
import { analytics } from '../analytics/analytics.js';
import { apiKeyEvents, apiKeys } from '../gateway/api-keys.js';
import { authorities } from '../gateway/authorities.js';
import { campaignEvents, campaigns } from '../campaigns/campaigns.js';
import { campaignAnalytics } from '../campaigns/campaign-analytics.js';
import { campaignArchives } from '../campaigns/campaign-archives.js';
import { campaignDryRuns } from '../campaigns/campaign-dry-runs.js';
import { campaignRecipients } from '../campaigns/campaign-recipients.js';
import { audiences } from '../contacts/audiences.js';
import { consents } from '../contacts/consents.js';
import { contactImports } from '../contacts/contact-imports.js';
import { contactEvents, contacts } from '../contacts/contacts.js';
import { contactLookups } from '../contacts/contact-lookups.js';
import type { EventContract, RequestContract, ServiceName } from '../schema/contract.js';
import { domainEvents, domains } from '../sending/domains.js';
import { campaignMail } from '../sending/campaign-mail.js';
import { workflowMail } from '../sending/workflow-mail.js';
import { copyEvents } from '../sending/copied-mail.js';
import { emailEvents, emails } from '../sending/emails.js';
import { engagement } from '../sending/engagement.js';
import { explanations } from '../sending/explanations.js';
import { eraseIn, erasures } from './erasures.js';
import { listEvents, lists, listUses, memberships } from '../contacts/lists.js';
import { preferences } from '../contacts/preferences.js';
import { events } from '../contacts/events.js';
import { mailHistory } from '../sending/mail-history.js';
import { operations } from './operations.js';
import { optOuts } from '../sending/opt-outs.js';
import { overdueMail } from '../sending/overdue-mail.js';
import { personData } from './person-data.js';
import { providerEvents } from '../sending/provider-events.js';
import { projectEvents, projects } from '../gateway/projects.js';
import { mailSummaries, readModels } from './read-models.js';
import { recipients } from '../sending/recipients.js';
import { secrets } from './secrets.js';
import { segments, segmentUses } from '../contacts/segments.js';
import { suppressionImports } from '../sending/suppression-imports.js';
import { snippets } from '../sending/snippets.js';
import { suppressionEvents, suppressions } from '../sending/suppressions.js';
import { applications } from '../gateway/applications.js';
import { templateEvents, templates, templateUses } from '../sending/templates.js';
import { allowances, usage, usageEvents } from '../sending/usage.js';
import { users } from '../gateway/users.js';
import { executionEvents, executions } from '../workflows/executions.js';
import { workflowGraphs } from '../workflows/graphs.js';
import { simulations } from '../workflows/simulations.js';
import { workflowDocuments } from '../workflows/workflow-documents.js';
import { projectWebhookSecrets, webhookEvents, webhooks } from '../workflows/webhooks.js';
import { workflowEvents, workflows } from '../workflows/workflows.js';

/** A service that lacks a handler for one of its own requests does not start. */
export const requestCatalogue: readonly RequestContract[] = [
  emails,
  contacts,
  contactLookups,
  lists,
  listUses,
  memberships,
  preferences,
  consents,
  activity,
  personData,
  eraseIn,
  events,
  segments,
  segmentUses,
  contactImports,
  erasures,
  campaigns,
  campaignRecipients,
  campaignArchives,
  campaignDryRuns,
  campaignAnalytics,
  campaignMail,
  workflowMail,
  audiences,
  workflows,
  workflowGraphs,
  workflowDocuments,
  executions,
  simulations,
  webhooks,
  projectWebhookSecrets,
  analytics,
  projects,
  apiKeys,
  authorities,
  secrets,
  domains,
  usage,
  allowances,
  suppressions,
  suppressionImports,
  recipients,
  optOuts,
  overdueMail,
  engagement,
  providerEvents,
  explanations,
  mailHistory,
  mailSummaries,
  readModels,
  templates,
  templateUses,
  snippets,
  users,
  applications,
  ...Object.values(operations),
].flatMap((group) => Object.values(group) as RequestContract[]);

export const eventCatalogue: readonly EventContract[] = [
  emailEvents,
  copyEvents,
  domainEvents,
  suppressionEvents,
  usageEvents,
  templateEvents,
  contactEvents,
  listEvents,
  projectEvents,
  apiKeyEvents,
  campaignEvents,
  workflowEvents,
  executionEvents,
  webhookEvents,
].flatMap((group) => Object.values(group) as EventContract[]);

export const requestsOf = (owner: ServiceName): RequestContract[] =>
  requestCatalogue.filter((contract) => contract.owner === owner);
