import { Module } from '@nestjs/common';
import { EngineModule } from '../executions/engine.module.js';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { AudienceSimulations } from './audience-simulations.service.js';
import { RenderedTexts } from './rehearsal-texts.js';
import { SimulationsService } from './simulations.service.js';

@Module({
  imports: [DefinitionsModule, EngineModule],
  providers: [AudienceSimulations, RenderedTexts, SimulationsService],
})
export class SimulationsModule {}
