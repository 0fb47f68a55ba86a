import type { ServicePlan } from './services.js';

export const ports = { http: 3_000, admin: 9_090, mail: 2_525 };
export const settingsMap = 'posthorn';
export const secretFolder = '/run/secrets/posthorn';

export interface EnvironmentEntry {
  name: string;
  value?: string;
  valueFrom?: { configMapKeyRef: { name: string; key: string; optional: true } };
}

/** They belong to the pod, whatever the settings say. */
const fixed: Record<string, string> = {
  ADMIN_HOST: '0.0.0.0',
  ADMIN_PORT: String(ports.admin),
  HOST: '0.0.0.0',
  PORT: String(ports.http),
  INBOUND_HOST: '0.0.0.0',
  MIGRATE_AT_START: 'false',
  // Endpoints are removed later than SIGTERM arrives.
  DRAIN_MS: '10000',
};
/** The account that creates databases belongs to provisioning. */
const withheld = new Set(['DATABASE_URL']);

export function environmentOf(plan: ServicePlan): EnvironmentEntry[] {
  const own = plan.variables.filter(({ name }) => !withheld.has(name));
  return [
    ...secretsOf(plan).map((name) => inFile(name)),
    ...own.flatMap(({ name, secret, optional }): EnvironmentEntry[] => {
      if (fixed[name] !== undefined) return [{ name, value: fixed[name] }];
      if (secret) return optional ? [setting(`${name}_FILE`)] : [];
      return [setting(name)];
    }),
  ];
}

/** The keys of the Secret of a service: every secret that it cannot do without. */
export const secretsOf = ({ name, variables }: ServicePlan): string[] => [
  `${name.toUpperCase()}_DATABASE_URL`,
  ...variables.filter(({ secret, optional }) => secret && !optional).map((variable) => variable.name),
];

export const inFile = (name: string): EnvironmentEntry => ({
  name: `${name}_FILE`,
  value: `${secretFolder}/${name}`,
});

export const setting = (name: string, map = settingsMap): EnvironmentEntry => ({
  name,
  valueFrom: { configMapKeyRef: { name: map, key: name, optional: true } },
});
