import { errorCodes } from '@posthorn/contracts';
import { titles } from '../dialects/v1.js';

/** Target of the `type` URL of problem documents, such as `/docs/errors#conflict`. */
export const errorsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Posthorn errors</title>
  </head>
  <body>
    <h1>Errors</h1>
    <p>Use the code to handle an error; its title never changes. <a href="/docs">The API reference</a> lists the codes and statuses of each operation.</p>
    <dl>
${errorCodes.map((code) => `      <dt id="${code}"><code>${code}</code></dt>\n      <dd>${titles[code]}</dd>`).join('\n')}
    </dl>
  </body>
</html>`;
