import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { resealingOf } from '@posthorn/platform';
import { sealedTables } from './sealed-tables.js';

@Module({ providers: [resealingOf(secrets.rotate, sealedTables)] })
export class SecretsModule {}
