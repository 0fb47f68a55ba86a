import { Module } from '@nestjs/common';
import { Documentation } from './documentation.js';

@Module({
  providers: [Documentation],
})
export class DocumentationModule {}
