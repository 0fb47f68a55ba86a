// For the health checks of containers: exits 0 when the service in this container is ready (/readyz), 1 when it is not.
const port = process.env.ADMIN_PORT ?? '9090';
const ready = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_500) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = ready ? 0 : 1;
