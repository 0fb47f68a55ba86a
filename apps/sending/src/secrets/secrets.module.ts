import { Module } from '@nestjs/common';
import { resealingOf } from '@posthorn/platform';
import { sealedTables } from './sealed-tables.js';
import { SecretsHandlers } from './secrets.handlers.js';

@Module({ controllers: [SecretsHandlers], providers: [resealingOf(sealedTables)] })
export class SecretsModule {}
