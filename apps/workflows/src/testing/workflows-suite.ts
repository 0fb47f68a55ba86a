import { audiences, invalidMember, projects, templates } from '@posthorn/contracts';
import { openServiceFixture, standIn, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startWorkflows } from '../service.js';
import { noAuthorities, standInAuthorities, type KnownAuthorities } from './stand-in-authorities.js';
import { standInProject } from './stand-in-project.js';

/** The workflows service with a database and a NATS server of its own, and stand-ins for the services that it calls. */
export interface WorkflowsSuite extends Pick<
  ServiceFixture,
  'bus' | 'connection' | 'database' | 'environment' | 'queue' | 'buildProject' | 'eventsOf'
> {
  /** The segments and the templates of every project. */
  segments: Set<string>;
  templates: Set<string>;
  standings: KnownAuthorities['standings'];
  disabledProjects: Set<string>;
  stop(): Promise<void>;
}

export async function startWorkflowsSuite(changes: Record<string, string> = {}): Promise<WorkflowsSuite> {
  const fixture = await openServiceFixture('workflows', { entities, migrations });
  const known = { segments: new Set<string>(), templates: new Set<string>(), ...noAuthorities() };
  const leave = await standInFor(fixture, known);
  const service = await fixture.carry(
    startWorkflows({ environment: { ...fixture.environment, ...changes }, processMetrics: false }),
  );
  return {
    ...fixture,
    ...known,
    stop: async () => {
      await service.stop();
      await Promise.all(leave.map((stop) => stop()));
      await fixture.close();
    },
  };
}

function standInFor(
  { connection }: ServiceFixture,
  known: Pick<WorkflowsSuite, 'segments' | 'templates'> & KnownAuthorities,
): Promise<(() => Promise<void>)[]> {
  return Promise.all([
    standIn(connection, audiences.validate, async ({ segmentId }) => {
      if (!segmentId || known.segments.has(segmentId)) return { isValid: true };
      throw invalidMember(['segmentId'], 'not_found', 'must be a segment of this project');
    }),
    standInAuthorities(connection, known),
    standIn(connection, projects.get, async ({ id }) => ({ id, ...standInProject })),
    standIn(connection, templates.known, async ({ ids }) => ({
      ids: ids.filter((id) => known.templates.has(id)),
    })),
  ]);
}
