import { Injectable } from '@nestjs/common';
import { erasureNotFound, type Erasure } from '@posthorn/contracts';
import { ErasuresRepository } from './erasures.repository.js';

@Injectable()
export class ErasuresService {
  constructor(private readonly erasures: ErasuresRepository) {}

  async get(projectId: string, id: string): Promise<Erasure> {
    const row = await this.erasures.find(projectId, id);
    if (!row) throw erasureNotFound();
    return row.toErasure();
  }
}
