import { Module } from '@nestjs/common';
import { EdgeModule } from '../edge/edge.module.js';
import { Documentation } from './documentation.js';

@Module({
  imports: [EdgeModule],
  providers: [Documentation],
})
export class DocumentationModule {}
