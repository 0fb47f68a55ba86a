import { AnalyticsController } from './analytics/analytics.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { RevealController } from './api-keys/reveals/reveal.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { CampaignArchivesController } from './campaigns/campaign-archives.controller.js';
import { CampaignRecipientsController } from './campaigns/campaign-recipients.controller.js';
import { CampaignsController } from './campaigns/campaigns.controller.js';
import { campaignRecipientRoutes, campaignRoutes } from './campaigns/campaigns.routes.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { contactRoutes, erasureRoutes, importRoutes } from './contacts/contacts.routes.js';
import { ImportsController } from './contacts/imports.controller.js';
import { DeliverabilityController } from './deliverability/deliverability.controller.js';
import { domainRoutes } from './domains/domains.routes.js';
import type { RouteSource } from './routes/route-table.js';
import { EmailsController } from './emails/emails.controller.js';
import { emailRoutes, engagementRoutes, explanationRoutes } from './emails/emails.routes.js';
import { ExplanationsController } from './emails/explanations.controller.js';
import { EventsController } from './events/events.controller.js';
import { eventRoutes } from './events/events.routes.js';
import { StreamController } from './live/stream.controller.js';
import { listRoutes } from './lists/lists.routes.js';
import { MembersController } from './members/members.controller.js';
import { SessionsController } from './people/sessions/sessions.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { segmentRoutes } from './segments/segments.routes.js';
import { snippetRoutes } from './snippets/snippets.routes.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { suppressionRoutes } from './suppressions/suppressions.routes.js';
import { templateRoutes } from './templates/templates.routes.js';
import { contactTopicRoutes, topicRoutes } from './topics/topics.routes.js';
import { usageRoutes } from './usage/usage.routes.js';
import { EmailValidationsController } from './validation/validation.controller.js';
import { validationRoutes } from './validation/validation.routes.js';
import { webhookCallRoutes, webhookRoutes, webhookSecretRoutes } from './webhooks/webhooks.routes.js';
import {
  executionRoutes,
  simulationRoutes,
  workflowGraphRoutes,
  workflowRoutes,
} from './workflows/workflows.routes.js';

/** Every route below `/api`: tables of calls, and controllers where a route has code. A test compares this list with what is served. */
export const routeSources: readonly RouteSource[] = [
  ...[EmailsController, emailRoutes, ExplanationsController, explanationRoutes, engagementRoutes],
  ...[ContactsController, contactRoutes, ImportsController, importRoutes, erasureRoutes],
  ...[topicRoutes, contactTopicRoutes],
  ...[listRoutes, segmentRoutes, EventsController, eventRoutes, StreamController],
  ...[CampaignsController, campaignRoutes, CampaignRecipientsController, campaignRecipientRoutes],
  CampaignArchivesController,
  ...[workflowRoutes, workflowGraphRoutes, executionRoutes, simulationRoutes],
  ...[webhookRoutes, webhookCallRoutes, webhookSecretRoutes],
  ...[domainRoutes, SuppressionsController, suppressionRoutes, EmailValidationsController, validationRoutes],
  ...[templateRoutes, snippetRoutes],
  ...[AnalyticsController, DeliverabilityController, usageRoutes, AuditController],
  ...[SessionsController, ProjectsController, MembersController, ApiKeysController, RevealController],
];
