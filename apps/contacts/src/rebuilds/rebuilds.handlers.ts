import { Controller } from '@nestjs/common';
import { readModels, type RebuildReadModel, type RebuiltReadModel } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { RebuildsService } from './rebuilds.service.js';

@Controller()
export class RebuildsHandlers {
  constructor(private readonly service: RebuildsService) {}

  @Handles(readModels.rebuild)
  rebuild({ body }: Incoming<RebuildReadModel>): Promise<RebuiltReadModel> {
    return this.service.rebuild(body);
  }
}
