import { Module } from '@nestjs/common';
import { Health } from './health.js';

@Module({
  providers: [Health],
})
export class HealthModule {}
