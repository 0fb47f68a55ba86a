import { Controller } from '@nestjs/common';
import {
  segmentUses,
  templateUses,
  type AskSegmentUses,
  type SegmentUses,
  workflows,
  type CreateWorkflow,
  type DeletedWorkflow,
  type ListWorkflows,
  type TemplateId,
  type TemplateUse,
  type UpdateWorkflowById,
  type Workflow,
  type WorkflowGraph,
  type WorkflowId,
  type WorkflowPage,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { WorkflowsService } from './workflows.service.js';

@Controller()
export class WorkflowsHandlers {
  constructor(private readonly service: WorkflowsService) {}

  @Answers(workflows.create)
  create(call: Incoming<CreateWorkflow>): Promise<Workflow> {
    return this.service.create(call);
  }

  @Answers(workflows.get)
  get({ caller, body }: Incoming<WorkflowId>): Promise<Workflow> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(workflows.list)
  list({ caller, body }: Incoming<ListWorkflows>): Promise<WorkflowPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(workflows.update)
  update(call: Incoming<UpdateWorkflowById>): Promise<Workflow> {
    return this.service.update(call);
  }

  @Answers(workflows.delete)
  delete(call: Incoming<WorkflowId>): Promise<DeletedWorkflow> {
    return this.service.delete(call);
  }

  @Answers(workflows.clone)
  clone(call: Incoming<WorkflowId>): Promise<Workflow> {
    return this.service.clone(call);
  }

  @Answers(workflows.graph)
  graph({ caller, body }: Incoming<WorkflowId>): Promise<WorkflowGraph> {
    return this.service.graph(caller.projectId, body.id);
  }

  @Answers(segmentUses.workflows)
  async usesSegment({ caller, body }: Incoming<AskSegmentUses>): Promise<SegmentUses> {
    return { names: await this.service.enabledBySegment(caller.projectId, body) };
  }

  @Answers(templateUses.workflows)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.service.usesTemplate(caller.projectId, body.id) };
  }
}
