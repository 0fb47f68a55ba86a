import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { onDatabase } from '@posthorn/database';
import { resealingOf } from '@posthorn/platform';
import { AskedFor } from '../events/asked-for.js';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { CallsRepository } from './calls/calls.repository.js';
import { WebhookCallsRepository } from './calls/webhook-calls.repository.js';
import { WebhookCallsService } from './calls/webhook-calls.service.js';
import { CallDispatchWork } from './dispatch/call-dispatch.work.js';
import { CallOutcomes } from './dispatch/call-outcomes.js';
import { ExecutionCalls, SubscriptionCalls } from './dispatch/call-owners.js';
import { CallRounds } from './dispatch/call-rounds.js';
import { EndpointsRepository } from './dispatch/endpoints.repository.js';
import { WebhookClient } from './dispatch/webhook-client.js';
import { WebhookEndpoints } from './dispatch/webhook-endpoints.js';
import { EventCalls, EndedExecutionEvents } from './events/event-calls.js';
import { WebhookEventsSubscribers } from './events/webhook-events.subscribers.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { SigningSecretsRepository } from './secrets/signing-secrets.repository.js';
import { StepCalls } from './steps/step-calls.js';
import { WebhookUrls, WebhooksService } from './webhooks.service.js';
import { WebhooksRepository } from './webhooks.repository.js';

const sealedTables = [{ table: 'signing_secrets', project: 'project_id', id: 'id', sealed: 'sealed' }];

@Module({
  imports: [DefinitionsModule],
  providers: [
    ...onDatabase([WebhooksRepository, CallsRepository, WebhookCallsRepository]),
    ...onDatabase([EndpointsRepository, SigningSecretsRepository, AskedFor]),
    resealingOf(secrets.rotateWorkflows, sealedTables),
    ...[WebhooksService, WebhookCallsService, WebhookUrls, SigningSecrets],
    ...[EventCalls, EndedExecutionEvents, StepCalls],
    ...[WebhookClient, WebhookEndpoints],
    ...[SubscriptionCalls, ExecutionCalls, CallOutcomes, CallRounds, CallDispatchWork],
    WebhookEventsSubscribers,
  ],
  exports: [StepCalls, EndedExecutionEvents],
})
export class WebhooksModule {}
