import { activity } from './activity.js';
import { analytics } from './analytics.js';
import { apiKeyEvents, apiKeys } from './api-keys.js';
import { campaignEvents, campaigns } from './campaigns.js';
import { consents } from './consents.js';
import { contactImports } from './contact-imports.js';
import { contactEvents, contacts } from './contacts.js';
import type { EventContract, RequestContract, ServiceName } from './contract.js';
import { allowances, domainEvents, domains } from './domains.js';
import { emailEvents, emails } from './emails.js';
import { engagement } from './engagement.js';
import { eraseIn, erasures } from './erasures.js';
import { listEvents, lists, memberships } from './lists.js';
import { events } from './events.js';
import { mailHistory } from './mail-history.js';
import { operations } from './operations.js';
import { optOuts } from './opt-outs.js';
import { personData } from './person-data.js';
import { projectEvents, projects } from './projects.js';
import { mailSummaries, readModels } from './read-models.js';
import { recipients } from './recipients.js';
import { secrets } from './secrets.js';
import { segments, segmentUses } from './segments.js';
import { suppressionImports } from './suppression-imports.js';
import { snippets } from './snippets.js';
import { suppressionEvents, suppressions } from './suppressions.js';
import { applications } from './applications.js';
import { templateEvents, templates, templateUses } from './templates.js';
import { users } from './users.js';
import { workflowEvents, workflows } from './workflows.js';

/** Every question that one service may ask another. The boot refuses a service that does not answer all of its own. */
export const requestCatalogue: readonly RequestContract[] = [
  emails,
  contacts,
  lists,
  memberships,
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
  workflows,
  analytics,
  projects,
  apiKeys,
  secrets,
  domains,
  allowances,
  suppressions,
  suppressionImports,
  recipients,
  optOuts,
  engagement,
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

/** Every event that a service may publish, also those whose publishers come later. */
export const eventCatalogue: readonly EventContract[] = [
  emailEvents,
  domainEvents,
  suppressionEvents,
  templateEvents,
  contactEvents,
  listEvents,
  projectEvents,
  apiKeyEvents,
  campaignEvents,
  workflowEvents,
].flatMap((group) => Object.values(group) as EventContract[]);

export const requestsOf = (owner: ServiceName): RequestContract[] =>
  requestCatalogue.filter((contract) => contract.owner === owner);
