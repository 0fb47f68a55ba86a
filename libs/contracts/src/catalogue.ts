import { activity } from './activity.js';
import { analytics } from './analytics.js';
import { apiKeyFacts, apiKeys } from './api-keys.js';
import { campaignFacts, campaigns } from './campaigns.js';
import { consents } from './consents.js';
import { contactImports } from './contact-imports.js';
import { contactFacts, contacts } from './contacts.js';
import type { FactContract, RequestContract, ServiceName } from './contract.js';
import { allowances, domainFacts, domains } from './domains.js';
import { emailFacts, emails } from './emails.js';
import { engagement } from './engagement.js';
import { eraseIn, erasures } from './erasures.js';
import { listFacts, lists, memberships } from './lists.js';
import { events } from './events.js';
import { mailHistory } from './mail-history.js';
import { operations } from './operations.js';
import { optOuts } from './opt-outs.js';
import { personData } from './person-data.js';
import { projectFacts, projects } from './projects.js';
import { mailSummaries, readModels } from './read-models.js';
import { recipients } from './recipients.js';
import { secrets } from './secrets.js';
import { segments, segmentUses } from './segments.js';
import { suppressionImports } from './suppression-imports.js';
import { snippets } from './snippets.js';
import { suppressionFacts, suppressions } from './suppressions.js';
import { applications } from './applications.js';
import { templateFacts, templates, templateUses } from './templates.js';
import { users } from './users.js';
import { workflowFacts, workflows } from './workflows.js';

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

/** Every fact that a service may publish, also those whose publishers come later. */
export const factCatalogue: readonly FactContract[] = [
  emailFacts,
  domainFacts,
  suppressionFacts,
  templateFacts,
  contactFacts,
  listFacts,
  projectFacts,
  apiKeyFacts,
  campaignFacts,
  workflowFacts,
].flatMap((group) => Object.values(group) as FactContract[]);

export const requestsOf = (owner: ServiceName): RequestContract[] => requestCatalogue.filter((contract) => contract.owner === owner);
