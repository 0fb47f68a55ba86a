import { labelsOf, type Manifest } from './manifest.js';

/** The same Secrets, filled from a store: an entry of the name of the Secret, with its keys. */
export const externalSecretObjects = (secrets: readonly Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(
    secrets.map(({ metadata }) => [
      metadata.name,
      {
        apiVersion: 'external-secrets.io/v1',
        kind: 'ExternalSecret',
        metadata: {
          name: metadata.name,
          namespace: metadata.namespace!,
          labels: labelsOf('secrets'),
        },
        spec: {
          refreshInterval: '1h',
          secretStoreRef: { name: 'posthorn', kind: 'SecretStore' },
          target: { name: metadata.name },
          dataFrom: [{ extract: { key: metadata.name } }],
        },
      },
    ]),
  );
