import {
  canHappen,
  systemEventNames,
  type InvalidMember,
  type TriggerType,
  type Workflow,
} from '@posthorn/contracts';

type Trigger = Pick<Workflow, 'triggerType' | 'eventName' | 'intervalMs' | 'segmentId'>;
type Setting = Exclude<keyof Trigger, 'triggerType'>;

/** The settings of each type; it allows no others. */
const settingsOf: Readonly<Record<TriggerType, Partial<Record<Setting, 'required' | 'optional'>>>> = {
  EVENT: { eventName: 'required' },
  SCHEDULE: { intervalMs: 'required', segmentId: 'optional' },
  MANUAL: {},
};
const settings: readonly Setting[] = ['eventName', 'intervalMs', 'segmentId'];

/** A change of the type drops what the old type needed, unless the change names it. */
export function changedTrigger(trigger: Trigger, changes: Partial<Trigger>): Trigger {
  const { triggerType = trigger.triggerType } = changes;
  const dropped = settings.filter(
    (name) => triggerType !== trigger.triggerType && !settingsOf[triggerType][name],
  );
  return { ...trigger, ...Object.fromEntries(dropped.map((name) => [name, null])), ...changes };
}

export function triggerFaults(trigger: Trigger): InvalidMember[] {
  const { triggerType, eventName } = trigger;
  const faults = settings.flatMap((name): InvalidMember[] => {
    const use = settingsOf[triggerType][name];
    if (trigger[name] === null)
      return use === 'required'
        ? [{ path: [name], code: 'required', message: `is required for ${triggerType}` }]
        : [];
    return use ? [] : [{ path: [name], code: 'not_allowed', message: `is not for ${triggerType}` }];
  });
  return faults.length === 0 && eventName !== null && !canHappen(eventName) ? [neverHappens] : faults;
}

const neverHappens: InvalidMember = {
  path: ['eventName'],
  code: 'not_allowed',
  message: `is reserved and never happens; the system events are ${systemEventNames.join(', ')}, segment.<slug>.entry and segment.<slug>.exit`,
};
