// Starts Swagger UI on the document of the same gateway. A file of its own: the page's policy allows no inline script.

// The legacy groups repeat what stands above them: they begin folded, and open as any other.
const foldedLegacyGroups = {
  statePlugins: {
    layout: {
      wrapSelectors: {
        // The wrapped selector has its state already.
        isShown: (isShown) => (_state, thing, byDefault) => {
          const isLegacy = thing[0] === 'operations-tag' && String(thing[1]).startsWith('legacy ');
          return isShown(thing, byDefault && !isLegacy);
        },
      },
    },
  },
};

globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  plugins: [foldedLegacyGroups],
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Otherwise the document would be sent to a validator elsewhere.
  validatorUrl: null,
});
