import { errorCodes } from '@posthorn/contracts';
import { titles } from '../dialects/v1.js';

/** Where the `type` of every problem document leads: `/docs/errors#conflict`. */
export const errorsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Posthorn errors</title>
  </head>
  <body>
    <h1>Errors</h1>
    <p>Branch on the code: each has one title for ever. Which of them an operation answers, and with which status, says <a href="/docs">the API</a>.</p>
    <dl>
${errorCodes.map((code) => `      <dt id="${code}"><code>${code}</code></dt>\n      <dd>${titles[code]}</dd>`).join('\n')}
    </dl>
  </body>
</html>
`;
