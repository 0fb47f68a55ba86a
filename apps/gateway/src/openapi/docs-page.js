// Starts Swagger UI on the document of the same gateway. A file of its own: the page's policy allows no inline script.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Otherwise the document would be sent to a validator elsewhere.
  validatorUrl: null,
});
