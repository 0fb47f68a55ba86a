import { Controller } from '@nestjs/common';
import {
  erasures,
  secrets,
  type Erasure,
  type ErasureId,
  type RotatedSecrets,
  type RotateSecrets,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Resealing } from '@posthorn/platform';
import { ErasuresService } from './erasures.service.js';

@Controller()
export class ErasuresHandlers {
  constructor(
    private readonly service: ErasuresService,
    private readonly resealing: Resealing,
  ) {}

  @Handles(erasures.get)
  get({ caller, body }: Incoming<ErasureId>): Promise<Erasure> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(secrets.rotateContacts)
  rotate({ body }: Incoming<RotateSecrets>): Promise<RotatedSecrets> {
    return this.resealing.rotate(body.after);
  }
}
