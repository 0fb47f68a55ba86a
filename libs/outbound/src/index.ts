export * from './outbound-client.js';
export * from './outbound-headers.js';
export * from './outbound-url.js';
export * from './public-address.js';
