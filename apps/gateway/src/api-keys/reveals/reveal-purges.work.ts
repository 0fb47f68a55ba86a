import { Injectable } from '@nestjs/common';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { RevealsRepository, revealPurgeWork } from './reveals.repository.js';

@Injectable()
export class RevealPurgesWork implements WorkHandler<object> {
  constructor(
    private readonly reveals: RevealsRepository,
    runner: WorkRunner,
  ) {
    runner.register(revealPurgeWork, this);
  }

  async run({ items: [item] }: WorkBatch): Promise<void> {
    await this.reveals.removeExpired(item!.projectId, item!.key!);
  }
}
