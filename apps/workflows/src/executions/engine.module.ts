import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ProjectZones } from '../projects/project-zones.js';
import { RenderedTextsRepository } from '../texts/rendered-texts.repository.js';
import { TextsWork } from '../texts/texts.work.js';
import { AwaitedPurges } from '../waits/awaited-purges.work.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { Effects } from './effects.js';
import { ErasedExecutions } from './erased-executions.repository.js';
import { ExecutionEnds } from './execution-ends.js';
import { ExecutionErasure } from './execution-erasure.js';
import { ExecutionStore } from './execution-store.js';
import { ExecutionWrites } from './execution-writes.js';
import { ExecutionsRepository } from './executions.repository.js';
import { ExecutionsWork } from './executions.work.js';
import { People } from './people.js';
import { StepTexts } from '../texts/step-texts.js';
import { Turns } from './turns.js';
import { WebhookRequests } from './webhook-requests.js';

@Module({
  imports: [DefinitionsModule, WebhooksModule],
  providers: [
    ...onDatabase([ErasedExecutions, ExecutionsRepository, RenderedTextsRepository, WaitsRepository]),
    AwaitedPurges,
    Effects,
    ExecutionEnds,
    ExecutionErasure,
    ExecutionStore,
    ExecutionWrites,
    ExecutionsWork,
    People,
    ProjectZones,
    StepTexts,
    TextsWork,
    Turns,
    WebhookRequests,
  ],
  exports: [ExecutionEnds, ExecutionErasure, People, ProjectZones, StepTexts, WebhookRequests],
})
export class EngineModule {}
