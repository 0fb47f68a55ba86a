export { ProvisionConfig } from '@posthorn/platform';
