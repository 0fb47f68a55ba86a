import {
  contentMissing,
  onlyTestFromSandbox,
  outsideDomain,
  outsideSandbox,
  recipientOutsideSandbox,
  senderMissing,
  senderNotVerified,
} from '@posthorn/contracts';

export const sendErrors = [
  () => contentMissing('subject'),
  senderNotVerified,
  senderMissing,
  outsideSandbox,
  onlyTestFromSandbox,
  recipientOutsideSandbox,
  outsideDomain,
] as const;
