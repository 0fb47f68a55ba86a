import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ProjectZones, People } from './people.js';
import { RenderedTextsRepository } from '../texts/rendered-texts.repository.js';
import { UsedVariables } from '../texts/used-variables.js';
import { TextsWork } from '../texts/texts.work.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { Effects } from './effects.js';
import { ExecutionEnds, ExecutionStore } from './execution-store.js';
import { ExecutionWrites, ExecutionsWork } from './executions.work.js';
import { ExecutionsRepository } from './executions.repository.js';
import { StepTexts } from '../texts/step-texts.js';
import { Activations } from './activations.js';
import { WebhookRequests } from './webhook-requests.js';

@Module({
  imports: [DefinitionsModule, WebhooksModule],
  providers: [
    ...onDatabase([ExecutionsRepository, RenderedTextsRepository, WaitsRepository]),
    Effects,
    ExecutionEnds,
    ExecutionStore,
    ExecutionWrites,
    ExecutionsWork,
    People,
    ProjectZones,
    StepTexts,
    TextsWork,
    UsedVariables,
    Activations,
    WebhookRequests,
  ],
  exports: [ExecutionEnds, People, ProjectZones, StepTexts, UsedVariables, WebhookRequests],
})
export class EngineModule {}
