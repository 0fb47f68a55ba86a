import type { ServiceName } from '@posthorn/contracts';
import { variablesOf, ServiceConfig, type Variable } from '@posthorn/platform';
import { variablesOfApp } from '../configuration-page.js';

export interface ServicePlan {
  name: ServiceName;
  variables: readonly Variable[];
  /** Longer than it ever needs to stop. */
  graceSeconds: number;
  memoryLimit: string;
  /** Others are evicted before it. */
  carriesMail: boolean;
  /** How often /readyz is asked. */
  readySeconds: number;
  scaling: { least: number; most: number } | { fixed: number };
}

/** What no declaration says: how a service is run, in the order in which an upgrade replaces it. */
const plans: Record<ServiceName, Partial<ServicePlan>> = {
  sending: { memoryLimit: '1Gi', carriesMail: true, scaling: { fixed: 2 } },
  contacts: {},
  campaigns: {},
  workflows: {},
  analytics: {},
  // Less than DRAIN_MS, so that it is out of the endpoints before it closes its port.
  gateway: { carriesMail: true, readySeconds: 2 },
};

const usualGrace = 60;
/** Beyond the longest wait for the answer to a message. */
const graceMargin = 30;

export async function servicePlans(): Promise<ServicePlan[]> {
  return Promise.all(
    (Object.keys(plans) as ServiceName[]).map(async (name) => {
      const variables = await variablesOfService(name);
      return {
        name,
        variables,
        graceSeconds: graceOf(variables),
        memoryLimit: '512Mi',
        carriesMail: false,
        readySeconds: 5,
        scaling: { least: 2, most: 10 },
        ...plans[name],
      };
    }),
  );
}

/** Of the jobs that provision and migrate. */
export const jobVariables = (): Promise<Variable[]> => variablesOfApp('provision');

async function variablesOfService(name: ServiceName): Promise<Variable[]> {
  const own = [...Object.values(variablesOf(ServiceConfig)), ...(await variablesOfApp(name))];
  return [...new Map(own.map((variable) => [variable.name, variable])).values()];
}

function graceOf(variables: readonly Variable[]): number {
  const longest = variables.find(({ name }) => name === 'SMTP_DOT_TIMEOUT')?.default;
  return longest === undefined ? usualGrace : Number(longest) + graceMargin;
}
