import { Controller } from '@nestjs/common';
import {
  workflowMail,
  type ContentToAnalyse,
  type RenderedTexts,
  type RenderTexts,
  type TriedWorkflowMail,
  type TryWorkflowMail,
  type UsedVariables,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { WorkflowMailService } from './workflow-mail.service.js';

@Controller()
export class WorkflowMailHandlers {
  constructor(private readonly service: WorkflowMailService) {}

  @Handles(workflowMail.texts)
  texts({ caller, body, deadline }: Incoming<RenderTexts>): Promise<RenderedTexts> {
    return this.service.texts({ projectId: caller.projectId, deadline }, body);
  }

  @Handles(workflowMail.uses)
  uses({ caller, body, deadline }: Incoming<ContentToAnalyse>): Promise<UsedVariables> {
    return this.service.uses({ projectId: caller.projectId, deadline }, body);
  }

  @Handles(workflowMail.tryOut)
  tryOut({ caller, body, deadline }: Incoming<TryWorkflowMail>): Promise<TriedWorkflowMail> {
    return this.service.tryOut(caller, body, deadline);
  }
}
