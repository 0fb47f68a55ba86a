import { natsConfiguration } from '@posthorn/messaging';

/** The users of the NATS container; their passwords come from its environment. */
export const natsUsers =
  (): string => `# Users of NATS, each with what it may publish and subscribe to; passwords come from the environment of nats-server.
# Made by \`npm run docs\` from the declarations in the code; do not edit.

${natsConfiguration((user) => `$${user.toUpperCase()}_PASSWORD`)}`;
