/** What every event about an e-mail tells of it (`EmailEventDetails` of the contract), from a row of `emails`. */
export const emailEventDetails = (email: string): string => `jsonb_strip_nulls(jsonb_build_object(
  'emailId', ${email}.id, 'to', ${email}.to_email, 'from', ${email}.from_email, 'fromName', ${email}.from_name, 'subject', ${email}.subject,
  'sourceType', ${email}.source_type, 'contactId', ${email}.contact_id, 'templateId', ${email}.template_id,
  'campaignId', ${email}.campaign_id,
  'providerMessageId', ${email}.provider_message_id, 'metadata', nullif(${email}.metadata, '{}'),
  'tags', nullif(to_jsonb(${email}.tags), '[]'), 'destination', ${email}.destination))`;

/** As `CopyEvent` of the contract. The limit keeps the planner from scanning all e-mails. */
export const copyEventDetailsOf = (row: string): string =>
  `SELECT jsonb_build_object('emailId', c.id, 'from', c.from_email, 'sourceType', c.source_type) AS details
   FROM emails c WHERE c.project_id = ${row}.project_id AND c.id = ${row}.email_id LIMIT 1`;
