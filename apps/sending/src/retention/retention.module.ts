import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { OldDeliveriesRepository } from './old-deliveries.repository.js';
import { OldDeliveriesWork } from './old-deliveries.work.js';

@Module({ providers: [...onDatabase([OldDeliveriesRepository]), OldDeliveriesWork] })
export class RetentionModule {}
