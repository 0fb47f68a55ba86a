import { Controller } from '@nestjs/common';
import {
  segmentUses,
  templateUses,
  workflowGraphs,
  type GetSegmentUses,
  type GraphFindings,
  type GraphOfWorkflow,
  type SegmentUses,
  type TemplateId,
  type TemplateUse,
  type VersionOfWorkflow,
  type WorkflowGraph,
  type WorkflowId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { GraphValidation } from './graph-validation.service.js';
import { GraphsService } from './graphs.service.js';

@Controller()
export class GraphsHandlers {
  constructor(
    private readonly service: GraphsService,
    private readonly validation: GraphValidation,
  ) {}

  @Handles(workflowGraphs.get)
  get({ caller, body }: Incoming<WorkflowId>): Promise<WorkflowGraph> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(workflowGraphs.put)
  put(call: Incoming<GraphOfWorkflow>): Promise<WorkflowGraph> {
    return this.service.put(call);
  }

  @Handles(workflowGraphs.validate)
  validate({ caller, body }: Incoming<GraphOfWorkflow>): Promise<GraphFindings> {
    return this.validation.validate(caller, body);
  }

  @Handles(workflowGraphs.version)
  version({ caller, body }: Incoming<VersionOfWorkflow>): Promise<WorkflowGraph> {
    return this.service.version(caller.projectId, body);
  }

  @Handles(segmentUses.workflows)
  async usesSegment({ caller, body }: Incoming<GetSegmentUses>): Promise<SegmentUses> {
    return { names: await this.service.enabledBySegment(caller.projectId, body) };
  }

  @Handles(templateUses.workflows)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.service.usesTemplate(caller.projectId, body.id) };
  }
}
