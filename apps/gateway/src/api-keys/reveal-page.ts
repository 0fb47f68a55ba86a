const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

/** A look changes nothing: the secret is read by the button (guarantees.md §6). */
export const askPage = page(
  'Your new API key is ready',
  `<p>It can be shown once. Have a safe place for it at hand: after this nobody can read it any more, we neither.</p>
<form method="post"><button type="submit">Show the key</button></form>`,
);

export const tokenPage = (token: string): string =>
  page('Your new API key', `<p>Copy it now: it is not shown again.</p>\n<p><code>${token}</code></p>`);

export const gonePage = page(
  'There is nothing to show',
  '<p>The link was used already, or is older than five minutes. Rotate the key to get another secret.</p>',
);
