import type { InvalidMember, TriggerType, Workflow } from '@posthorn/contracts';

type Trigger = Pick<Workflow, 'triggerType' | 'eventName' | 'intervalMs'>;
type Dependent = 'eventName' | 'intervalMs';

/** The member that each type requires; it allows no other. */
const requiredBy: Readonly<Record<TriggerType, Dependent | null>> = {
  EVENT: 'eventName',
  SCHEDULE: 'intervalMs',
  MANUAL: null,
};
const dependents: readonly Dependent[] = ['eventName', 'intervalMs'];

/** A change of the type drops what the old type required, unless the change names it. */
export function changedTrigger(trigger: Trigger, changes: Partial<Trigger>): Trigger {
  const { triggerType = trigger.triggerType } = changes;
  const dropped = dependents.filter(
    (name) => triggerType !== trigger.triggerType && requiredBy[triggerType] !== name,
  );
  return { ...trigger, ...Object.fromEntries(dropped.map((name) => [name, null])), ...changes };
}

export function triggerFaults(trigger: Trigger): InvalidMember[] {
  const { triggerType } = trigger;
  return dependents.flatMap((name): InvalidMember[] => {
    const needed = requiredBy[triggerType] === name;
    if (needed === (trigger[name] !== null)) return [];
    return needed
      ? [{ path: [name], code: 'required', message: `is required for ${triggerType}` }]
      : [{ path: [name], code: 'not_allowed', message: `is not for ${triggerType}` }];
  });
}
