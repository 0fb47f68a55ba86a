import {
  contentMissing,
  onlyTestFromSandbox,
  outsideDomain,
  outsideSandbox,
  recipientOutsideSandbox,
  senderMissing,
  senderNotVerified,
} from '@posthorn/contracts';

/** What refuses a send, whether it is accepted or only explained. */
export const sendErrors = [
  () => contentMissing('subject'),
  senderNotVerified,
  senderMissing,
  outsideSandbox,
  onlyTestFromSandbox,
  recipientOutsideSandbox,
  outsideDomain,
] as const;
