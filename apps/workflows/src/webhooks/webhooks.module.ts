import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { onDatabase } from '@posthorn/database';
import { resealingOf } from '@posthorn/platform';
import { AuthoritiesModule } from '../authorities/authorities.module.js';
import { CallPages } from './calls/call-pages.read-model.js';
import { ReplaysRepository } from './calls/replays.repository.js';
import { TestCallsRepository } from './calls/test-calls.repository.js';
import { TestCallsService } from './calls/test-calls.service.js';
import { WebhookCallsRepository } from './calls/webhook-calls.repository.js';
import { WebhookCallsService } from './calls/webhook-calls.service.js';
import { EndpointTurns } from './dispatch/endpoint-turns.js';
import { EndpointsRepository } from './dispatch/endpoints.repository.js';
import { WebhookClient } from './dispatch/webhook-client.js';
import { WebhookEndpoints } from './dispatch/webhook-endpoints.js';
import { SignedRequests } from './dispatch/signed-requests.js';
import { WebhookCallSource, WebhookTurnsWork } from './dispatch/webhook-turns.work.js';
import { ErasedCallsRepository } from './erasing/erased-calls.repository.js';
import { WebhookErasure } from './erasing/webhook-erasure.js';
import { EventCalls } from './events/event-calls.js';
import { EventSubjects } from './events/event-subjects.js';
import { WebhookEventsSubscribers } from './events/webhook-events.subscribers.js';
import { WorkflowEventCalls } from './events/workflow-event-calls.js';
import { OldCallsRepository } from './retention/old-calls.repository.js';
import { OldCallsWork } from './retention/old-calls.work.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { SigningSecretsRepository } from './secrets/signing-secrets.repository.js';
import { StepCalls } from './step-calls.js';
import { StepCallsRepository } from './steps/step-calls.repository.js';
import { StepCallSource, StepTurnsWork } from './steps/step-turns.work.js';
import { WebhookUrls } from './webhook-urls.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

const sealedTables = [{ table: 'signing_secrets', project: 'project_id', id: 'id', sealed: 'sealed' }];

@Module({
  imports: [AuthoritiesModule],
  providers: [
    ...onDatabase([WebhooksRepository, WebhookCallsRepository, CallPages, ReplaysRepository]),
    ...onDatabase([TestCallsRepository, EndpointsRepository, SigningSecretsRepository, StepCallsRepository]),
    ...onDatabase([ErasedCallsRepository, OldCallsRepository]),
    resealingOf(secrets.rotateWorkflows, sealedTables),
    ...[WebhooksService, WebhookCallsService, TestCallsService, WebhookUrls, SigningSecrets],
    ...[EventCalls, EventSubjects, WorkflowEventCalls, StepCalls, WebhookErasure, OldCallsWork],
    ...[WebhookClient, SignedRequests, WebhookEndpoints, EndpointTurns],
    ...[WebhookCallSource, WebhookTurnsWork, StepCallSource, StepTurnsWork],
    WebhookEventsSubscribers,
  ],
  exports: [StepCalls, WorkflowEventCalls, WebhookErasure],
})
export class WebhooksModule {}
