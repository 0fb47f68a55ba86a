import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { onDatabase } from '@posthorn/database';
import { resealingOf } from '@posthorn/platform';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { CallPages } from './calls/call-pages.read-model.js';
import {
  ReplaysRepository,
  TestCallsRepository,
  WebhookCallsRepository,
} from './calls/webhook-calls.repository.js';
import { TestCallsService, WebhookCallsService } from './calls/webhook-calls.service.js';
import { EndpointDispatcher } from './dispatch/endpoint-dispatcher.js';
import { EndpointsRepository } from './dispatch/endpoints.repository.js';
import { WebhookClient, SignedRequests } from './dispatch/webhook-client.js';
import { WebhookEndpoints } from './dispatch/webhook-endpoints.js';
import { WebhookCallSource, WebhookDispatchWork } from './dispatch/webhook-dispatch.work.js';
import { EventCalls, WorkflowEventCalls } from './events/event-calls.js';
import { EventSubjects, WebhookEventsSubscribers } from './events/webhook-events.subscribers.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { SigningSecretsRepository } from './secrets/signing-secrets.repository.js';
import { StepCalls } from './steps/step-calls.js';
import { StepCallsRepository } from './steps/step-calls.repository.js';
import { StepCallSource, StepDispatchWork } from './steps/step-dispatch.work.js';
import { WebhookUrls, WebhooksService } from './webhooks.service.js';
import { WebhooksRepository } from './webhooks.repository.js';

const sealedTables = [{ table: 'signing_secrets', project: 'project_id', id: 'id', sealed: 'sealed' }];

@Module({
  imports: [DefinitionsModule],
  providers: [
    ...onDatabase([WebhooksRepository, WebhookCallsRepository, CallPages, ReplaysRepository]),
    ...onDatabase([TestCallsRepository, EndpointsRepository, SigningSecretsRepository, StepCallsRepository]),
    resealingOf(secrets.rotateWorkflows, sealedTables),
    ...[WebhooksService, WebhookCallsService, TestCallsService, WebhookUrls, SigningSecrets],
    ...[EventCalls, EventSubjects, WorkflowEventCalls, StepCalls],
    ...[WebhookClient, SignedRequests, WebhookEndpoints, EndpointDispatcher],
    ...[WebhookCallSource, WebhookDispatchWork, StepCallSource, StepDispatchWork],
    WebhookEventsSubscribers,
  ],
  exports: [StepCalls, WorkflowEventCalls],
})
export class WebhooksModule {}
