import { Injectable } from '@nestjs/common';
import {
  isUuid,
  templates,
  type Caller,
  type GraphFindings,
  type GraphOfWorkflow,
  type InvalidMember,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { findingOf, graphFindings } from './graph-findings.js';

/** As many as one call asks about. */
const templatesPerCall = 50;

@Injectable()
export class GraphValidation {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly bus: Bus,
  ) {}

  async validate(caller: Caller, { id, ...graph }: GraphOfWorkflow): Promise<GraphFindings> {
    await this.workflows.findOrFail(caller.projectId, id);
    const missing = await this.missingTemplates(caller, graph);
    return { findings: [...graphFindings(graph), ...missing.map((fault) => findingOf(fault, 'ERROR'))] };
  }

  /** Steps whose template is not one of the project. */
  async missingTemplates(
    caller: Caller,
    { steps }: Pick<GraphOfWorkflow, 'steps'>,
  ): Promise<InvalidMember[]> {
    const named = steps.flatMap(({ config }, index) => {
      const { templateId } = config;
      return typeof templateId === 'string' && isUuid(templateId) ? [{ index, templateId }] : [];
    });
    const known = await this.knownTemplates(caller, [...new Set(named.map(({ templateId }) => templateId))]);
    return named
      .filter(({ templateId }) => !known.has(templateId))
      .map(({ index }) => ({
        path: ['steps', String(index), 'config', 'templateId'],
        code: 'not_found',
        message: 'must be a template of the project',
      }));
  }

  private async knownTemplates(caller: Caller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    for (let from = 0; from < ids.length; from += templatesPerCall) {
      const found = await this.bus.call(templates.known, caller, {
        ids: ids.slice(from, from + templatesPerCall),
      });
      for (const id of found.ids) known.add(id);
    }
    return known;
  }
}
