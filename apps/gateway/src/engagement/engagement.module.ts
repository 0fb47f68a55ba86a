import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { EngagementRecorder } from './engagement-recorder.js';
import { TrackingEndpoint } from './tracking-endpoint.js';
import { UnsubscribeEndpoint } from './unsubscribe-endpoint.js';
import { UnsubscribeService } from './unsubscribe.service.js';

@Module({
  imports: [PipelineModule, PagesModule, ProjectsModule],
  providers: [EngagementRecorder, TrackingEndpoint, UnsubscribeEndpoint, UnsubscribeService],
})
export class EngagementModule {}
