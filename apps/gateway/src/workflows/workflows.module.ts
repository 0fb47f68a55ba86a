import { Module } from '@nestjs/common';
import { ExecutionsController } from './executions.controller.js';
import { SimulationsController } from './simulations.controller.js';
import { WorkflowGraphsController } from './workflow-graphs.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  controllers: [WorkflowsController, WorkflowGraphsController, ExecutionsController, SimulationsController],
})
export class WorkflowsModule {}
