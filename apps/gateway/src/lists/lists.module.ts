import { Module } from '@nestjs/common';
import { EdgeModule } from '../edge/edge.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { ConfirmEndpoint } from './confirm-endpoint.js';

@Module({
  imports: [EdgeModule, PagesModule],
  providers: [ConfirmEndpoint],
})
export class ListsModule {}
