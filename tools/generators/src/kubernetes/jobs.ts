import { serviceNames, type ServiceName } from '@posthorn/contracts';
import type { Variable } from '@posthorn/platform';
import { inFile, setting, type EnvironmentEntry } from './environment.js';
import { labelsOf, wave, type Manifest, type Target } from './manifest.js';
import { containerOf, podOf } from './pods.js';
import { accountOf } from './objects.js';

const account = 'posthorn-jobs';
/** Of its own, because its name must not change with its content: a Job cannot change. Most installations need none. */
const jobSettings = 'posthorn-jobs';
const databaseUrl = (service: ServiceName): string => `${service.toUpperCase()}_DATABASE_URL`;
export const provisionSecrets: string[] = ['DATABASE_URL', ...serviceNames.map(databaseUrl)];

/** They carry the version in their names: a Job cannot change, and each version brings migrations of its own. */
export function jobObjects(
  version: string,
  variables: readonly Variable[],
  target: Target,
): Record<string, Manifest> {
  const settingsFor = (services: readonly ServiceName[]) =>
    [
      ...variables.filter(({ secret }) => !secret).map(({ name }) => name),
      // Past a pooler, where there is one.
      ...services.map((service) => `${service.toUpperCase()}_DIRECT_DATABASE_URL_FILE`),
    ].map((name) => setting(name, jobSettings));
  const suffix = version.replace(/[^a-z0-9-]/g, '-');
  return {
    serviceaccount: accountOf(account, target),
    provision: jobOf(`provision-${suffix}`, 'provision', -2, target, {
      secret: 'posthorn-provision',
      env: [...provisionSecrets.map(inFile), ...settingsFor(serviceNames)],
      start: { args: ['provision'] },
    }),
    ...Object.fromEntries(
      serviceNames.map((service) => [
        `migrate-${service}`,
        jobOf(`migrate-${service}-${suffix}`, 'migrate', -1, target, {
          secret: `posthorn-${service}`,
          env: [...['POSTHORN_SECRET_KEY', databaseUrl(service)].map(inFile), ...settingsFor([service])],
          start: {
            command: ['node', 'dist/tools/operator/src/main.js'],
            args: ['migrate', '--service', service],
          },
        }),
      ]),
    ),
  };
}

function jobOf(
  name: string,
  component: 'provision' | 'migrate',
  order: number,
  target: Target,
  { secret, env, start }: { secret: string; env: EnvironmentEntry[]; start: object },
): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: target.namespace, labels: labelsOf(component), annotations: wave(order) },
    spec: {
      // The database may not be there yet; both may be killed and repeated.
      backoffLimit: 20,
      template: {
        metadata: { labels: labelsOf(component) },
        spec: {
          restartPolicy: 'OnFailure',
          ...podOf(
            account,
            secret,
            containerOf(target, component, env, {
              ...start,
              resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '512Mi' } },
            }),
          ),
          terminationGracePeriodSeconds: 60,
        },
      },
    },
  };
}
