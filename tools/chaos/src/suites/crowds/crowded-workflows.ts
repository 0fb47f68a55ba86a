import { newId } from '@posthorn/database';
import { inTurns, type Tenant } from '../tenant.js';

export const countedEvent = 'crowded';

/** About a third of a second of work each time it is rendered. */
const slowText = `{% for a in (1..600) %}{% for b in (1..100) %}{{ a | plus: b }}{% endfor %}{% endfor %}`;

interface Step {
  type: string;
  config: object;
}

/** Steps one after the other, behind the trigger. */
function graphOf(steps: readonly Step[]): object {
  const all = [{ type: 'TRIGGER', config: {} }, ...steps].map((step, index) => ({
    ...{ id: newId(), name: `step ${index}`, position: { x: 0, y: 0 } },
    ...step,
  }));
  const transitions = all.slice(1).map(({ id }, index) => ({
    ...{ id: newId(), from_step_id: all[index]!.id, to_step_id: id, condition: null, priority: 0 },
  }));
  return { steps: all, transitions };
}

export async function enabledWorkflow(
  tenant: Tenant,
  event: string,
  steps: readonly Step[],
  more: object = {},
): Promise<void> {
  const { id } = await tenant.surely('POST', '/api/v1/workflows', {
    ...{ name: event, trigger_type: 'EVENT', event_name: event, ...more },
  });
  await tenant.surely('PUT', `/api/v1/workflows/${id as string}/graph`, graphOf(steps));
  await tenant.surely('POST', `/api/v1/workflows/${id as string}/resume`);
}

/** Each of its executions renders a slow text twice. */
export async function slowWorkflow(tenant: Tenant, people: number): Promise<void> {
  await tenant.makeReaders(Array.from({ length: people }, (_, index) => `slow-${index}@sink.test`));
  const slow = { type: 'SEND_EMAIL', config: { subject: 'Slow', body: `<p>${slowText}</p>` } };
  await enabledWorkflow(tenant, countedEvent, [slow, slow]);
}

export async function manyWorkflows(tenant: Tenant, count: number): Promise<void> {
  const mark = { type: 'UPDATE_CONTACT', config: { updates: { reached: true } } };
  await inTurns(Array.from({ length: count }), 4, () =>
    enabledWorkflow(tenant, countedEvent, [mark], { allow_reentry: true }),
  );
}
