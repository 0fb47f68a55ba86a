/** Where people look for the pages of a service; only a browser is led on. */
export const guessedPages: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(
    [
      'app',
      'dashboard',
      'home',
      'settings',
      'projects',
      'contacts',
      'campaigns',
      'templates',
      'workflows',
    ].map((name) => [name, null]),
  ),
  ...Object.fromEntries(['login', 'signin', 'log-in'].map((name) => [name, '/sign-in'])),
  ...Object.fromEntries(['signup', 'register'].map((name) => [name, '/sign-up'])),
};
