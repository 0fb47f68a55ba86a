/** What every event about an e-mail tells of it (`EmailEventDetails` of the contract), from a row of `emails`. */
export const emailEventDetails = (email: string): string => `jsonb_strip_nulls(jsonb_build_object(
  'emailId', ${email}.id, 'to', ${email}.to_email, 'from', ${email}.from_email, 'fromName', ${email}.from_name, 'subject', ${email}.subject,
  'sourceType', ${email}.source_type, 'contactId', ${email}.contact_id, 'templateId', ${email}.template_id,
  'providerMessageId', ${email}.provider_message_id, 'metadata', nullif(${email}.metadata, '{}')))`;
