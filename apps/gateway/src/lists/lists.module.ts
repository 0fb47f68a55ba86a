import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { ConfirmEndpoint } from './confirm-endpoint.js';

@Module({
  imports: [PipelineModule, PagesModule],
  providers: [ConfirmEndpoint],
})
export class ListsModule {}
