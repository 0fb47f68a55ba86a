import type { Posthorn } from './posthorn.js';

export function welcome(
  { dev, pagesUrl, inbox, dataDirectory, smtp, inboundPort, warnings, processes }: Posthorn,
  seconds: number,
): string {
  const body = JSON.stringify({
    to: 'ada@example.com',
    subject: 'Hello',
    body: '<h1>Hello, Ada</h1><p>It works.</p>',
  });
  return [
    '',
    `Posthorn is ready after ${seconds.toFixed(1)} s.`,
    '',
    `  API         ${dev.baseUrl}`,
    inbox ? `  Inbox       ${dev.inboxUrl}` : `  Mail goes to ${smtp}`,
    ...(inboundPort ? [`  Bounces     by SMTP on port ${inboundPort}`] : []),
    `  Keys        ${dataDirectory}/dev.json`,
    `  Sign in     ${pagesUrl.replace(/\/+$/, '')}/sign-in as ${dev.user.email} with ${dev.user.password}`,
    ...warnings.map((warning) => `  Warning     ${warning}`),
    ...(processes.length > 0 ? [`  Processes   ${processes.join(', ')}`] : []),
    '',
    'Send your first e-mail:',
    '',
    `  curl -sS ${dev.baseUrl}/api/v1/emails \\`,
    `    -H 'Authorization: Bearer ${dev.secretKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${body}'`,
    '',
    inbox
      ? `Then open ${dev.inboxUrl}. Ctrl-C stops everything and keeps the data.`
      : 'Ctrl-C stops everything and keeps the data.',
    '',
  ].join('\n');
}
