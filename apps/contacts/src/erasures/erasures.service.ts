import { Injectable } from '@nestjs/common';
import type { Erasure } from '@posthorn/contracts';
import { ErasuresRepository } from './erasures.repository.js';

@Injectable()
export class ErasuresService {
  constructor(private readonly erasures: ErasuresRepository) {}

  async get(projectId: string, id: string): Promise<Erasure> {
    return (await this.erasures.findOrFail(projectId, id)).toErasure();
  }
}
