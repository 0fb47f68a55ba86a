/** The part of the compose format that our file uses; a member beyond it is a mistake, or is added here on purpose. */
const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text, minItems: 1 } as const;
const duration = { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$' } as const;
const memory = { type: 'string', pattern: '^[0-9]+[KMG]$' } as const;
const scalar = { type: ['string', 'number', 'boolean'] } as const;

const only = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const mapOf = (values: object) => ({ type: 'object', additionalProperties: values });

const healthcheckOff = only({ disable: { const: true } }, ['disable']);
const healthcheckOn = only(
  {
    test: { type: 'array', minItems: 2, items: [{ enum: ['CMD', 'CMD-SHELL'] }], additionalItems: text },
    interval: duration,
    timeout: duration,
    start_period: duration,
    retries: { type: 'integer', minimum: 1 },
  },
  ['test', 'interval', 'timeout', 'retries'],
);

const resources = only({ limits: only({ memory, cpus: text }), reservations: only({ memory, cpus: text }) });

const service = only(
  {
    image: text,
    build: only({ context: text, dockerfile: text }, ['context', 'dockerfile']),
    command: texts,
    environment: mapOf(scalar),
    ports: { type: 'array', items: { type: 'string', pattern: '^([0-9.]+:)?[0-9]+:[0-9]+$' } },
    volumes: texts,
    tmpfs: texts,
    read_only: { type: 'boolean' },
    cap_drop: texts,
    security_opt: texts,
    restart: { enum: ['unless-stopped', 'always', 'on-failure', 'no'] },
    stop_grace_period: duration,
    healthcheck: { anyOf: [healthcheckOn, healthcheckOff] },
    entrypoint: texts,
    profiles: texts,
    networks: texts,
    deploy: only({ resources }),
    depends_on: mapOf(
      only(
        { condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] } },
        ['condition'],
      ),
    ),
  },
  ['image'],
);

export const composeSchema = {
  type: 'object',
  properties: {
    name: text,
    services: mapOf(service),
    volumes: mapOf(only({})),
    networks: mapOf(only({ internal: { type: 'boolean' } })),
  },
  required: ['name', 'services'],
  patternProperties: { '^x-': {} },
  additionalProperties: false,
};
