import {
  isTemplateText,
  maxDelayDays,
  msOfUnit,
  valuelessOperators,
  type BranchOperator,
  type ConditionConfig,
  type DelayConfig,
  type InvalidMember,
  type SendEmailConfig,
  type StepType,
  type UpdateContactConfig,
  type WaitForEventConfig,
  type WebhookConfig,
} from '@posthorn/contracts';
import { headerFault, targetOf, RefusedTarget } from '@posthorn/outbound';

type Config = Record<string, unknown>;

const fault = (path: string[], code: InvalidMember['code'], message: string): InvalidMember => ({
  path,
  code,
  message,
});
const required = (name: string, message = 'is required'): InvalidMember => fault([name], 'required', message);
const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** What contradicts itself although each member is right; refused by PUT. */
export function configFaults(type: StepType, config: Config): InvalidMember[] {
  return rules[type].faults?.(config) ?? [];
}

/** What an execution needs and the step does not have yet; refused when the workflow is enabled. */
export function missingConfig(type: StepType, config: Config): InvalidMember[] {
  return rules[type].missing?.(config) ?? [];
}

interface Rules {
  faults?(config: Config): InvalidMember[];
  missing?(config: Config): InvalidMember[];
}

const rules: Readonly<Record<StepType, Rules>> = {
  TRIGGER: {},
  EXIT: {},
  SEND_EMAIL: { missing: missingMail },
  DELAY: { faults: delayFaults, missing: missingDelay },
  WAIT_FOR_EVENT: {
    missing: ({ eventName, timeout }: WaitForEventConfig) => [
      ...(isFilled(eventName) ? [] : [required('eventName')]),
      ...(isFilled(timeout) ? [] : [required('timeout')]),
    ],
  },
  CONDITION: { faults: conditionFaults, missing: missingCondition },
  WEBHOOK: {
    faults: webhookFaults,
    missing: ({ url }: WebhookConfig) => (isFilled(url) ? [] : [required('url')]),
  },
  UPDATE_CONTACT: {
    missing: ({ updates, subscribed }: UpdateContactConfig) =>
      isFilled(subscribed) || Object.keys(updates ?? {}).length > 0
        ? []
        : [required('updates', 'is required without `subscribed`')],
  },
};

function missingMail({ templateId, subject, body, recipient }: SendEmailConfig): InvalidMember[] {
  const content = isFilled(templateId)
    ? []
    : (['subject', 'body'] as const).flatMap((name) =>
        isFilled({ subject, body }[name]) ? [] : [required(name, 'is required without `templateId`')],
      );
  const isLost = recipient?.type === 'CUSTOM' && !isFilled(recipient.customEmail);
  return isLost
    ? [...content, fault(['recipient', 'customEmail'], 'required', 'is required for CUSTOM')]
    : content;
}

function delayFaults({ amount, unit, until }: DelayConfig): InvalidMember[] {
  if (until !== undefined && (amount !== undefined || unit !== undefined))
    return [fault(['until'], 'not_allowed', 'must not stand beside `amount` and `unit`')];
  if (amount === undefined) return [];
  if (!(amount > 0)) return [fault(['amount'], 'out_of_range', 'must be above 0')];
  const isTooLong = unit !== undefined && amount * msOfUnit[unit] > maxDelayDays * msOfUnit.days;
  return isTooLong ? [fault(['amount'], 'out_of_range', `must be at most ${maxDelayDays} days`)] : [];
}

function missingDelay({ amount, unit, until }: DelayConfig): InvalidMember[] {
  if (until !== undefined) return [];
  return [...(isFilled(amount) ? [] : [required('amount')]), ...(isFilled(unit) ? [] : [required('unit')])];
}

const conditionFields =
  /^(?:contact\.(?:email|subscribed)|(?:customFields|data|event|context|workflow|execution|steps)\..+)$/;

function conditionFaults({ field, mode, branches, operator }: ConditionConfig): InvalidMember[] {
  const ids = (branches ?? []).map(({ id }) => id);
  return [
    ...(field === undefined || conditionFields.test(field)
      ? []
      : [
          fault(
            ['field'],
            'invalid_format',
            'must be contact.email, contact.subscribed, or begin with customFields., data., event., context., workflow., execution. or steps.',
          ),
        ]),
    ...(mode === 'multi' && operator !== undefined
      ? [fault(['operator'], 'not_allowed', 'is not for mode `multi`: each branch has its own')]
      : []),
    ...ids.flatMap((id, index) =>
      ids.indexOf(id) < index || id === 'default'
        ? [fault(['branches', String(index), 'id'], 'not_allowed', 'must be unique and not `default`')]
        : [],
    ),
  ];
}

function missingCondition(config: ConditionConfig & { value?: unknown }): InvalidMember[] {
  const { field, operator, mode, branches = [], value } = config;
  const missing = isFilled(field) ? [] : [required('field')];
  if (mode !== 'multi')
    return [
      ...missing,
      ...(operator === undefined ? [required('operator')] : missingValue(operator, value, ['value'])),
    ];
  if (branches.length === 0) return [...missing, required('branches')];
  return [
    ...missing,
    ...branches.flatMap((branch, index) =>
      missingValue(branch.operator, (branch as { value?: unknown }).value, [
        'branches',
        String(index),
        'value',
      ]),
    ),
  ];
}

const missingValue = (operator: BranchOperator, value: unknown, path: string[]): InvalidMember[] =>
  valuelessOperators.has(operator) || value !== undefined ? [] : [fault(path, 'required', 'is required')];

/** A URL with Liquid in it is checked when it is rendered. */
function webhookFaults({ url, headers = {} }: WebhookConfig): InvalidMember[] {
  return [
    ...(url === undefined || isTemplateText(url) ? [] : urlFaults(url)),
    ...Object.entries(headers).flatMap(([name, value]) => {
      const refused = headerFault(name, isTemplateText(value) ? '' : value);
      return refused === null ? [] : [fault(['headers', name], 'not_allowed', headerMessages[refused])];
    }),
  ];
}

const headerMessages = {
  name: 'has a name that no header can have',
  value: 'has characters that no header can have',
  reserved: 'is set by the service',
} as const;

/** Where it leads is checked when it is called: a name may change. */
function urlFaults(url: string): InvalidMember[] {
  try {
    targetOf(url, { allowPrivate: true, ports: [] });
    return [];
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    return [fault(['url'], 'invalid_format', error.message)];
  }
}
