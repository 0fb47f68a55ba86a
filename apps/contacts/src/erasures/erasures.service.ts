import { Injectable } from '@nestjs/common';
import { erasures, type Erasure, type ErasureId } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ErasuresRepository } from './erasures.repository.js';

@Injectable()
export class ErasuresService {
  constructor(private readonly erasures: ErasuresRepository) {}

  @Handles(erasures.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<ErasureId>): Promise<Erasure> {
    return (await this.erasures.findOrFail(projectId, id)).toErasure();
  }
}
