-- Made by `npm run docs` from the declarations in the code; do not edit.

-- accept
WITH
  send AS (
    SELECT
      *
    FROM
      unnest(
        $1::int[],
        $2::uuid[],
        $3::text[],
        $4::uuid[],
        $5::text[],
        $6::text[],
        $7::text[],
        $8::text[],
        $9::text[],
        $10::jsonb[],
        $11::jsonb[],
        $12::text[],
        $13::jsonb[],
        $14::timestamptz[],
        $15::int[],
        $16::text[],
        $17::text[],
        $18::text[],
        $19::jsonb[],
        $20::text[],
        $21::jsonb[]
      ) AS s (
        send_index,
        project_id,
        accepted_by,
        content_id,
        from_email,
        from_name,
        subject,
        html,
        text,
        reply_to,
        headers,
        tags,
        metadata,
        deadline,
        bytes,
        key,
        operation,
        body_hash,
        receipt,
        trace,
        options
      )
    WHERE
      deadline IS NULL
      OR now() < deadline
  ),
  email_to_accept AS (
    SELECT
      *
    FROM
      unnest($22::int[], $23::uuid[], $24::uuid[], $25::text[], $26::text[], $27::text[], $28::uuid[], $29::text[]) AS e (send_index, id, contact_id, to_email, to_name, destination, outbox_row_id, trace)
  ),
  email AS (
    INSERT INTO
      emails (
        project_id,
        id,
        content_id,
        contact_id,
        from_email,
        from_name,
        to_email,
        to_name,
        subject,
        status,
        tags,
        metadata,
        category,
        header_recipients,
        template_id,
        scheduled_at,
        accepted_by,
        source_type,
        destination
      )
    SELECT
      project_id,
      id,
      content_id,
      contact_id,
      from_email,
      from_name,
      to_email,
      to_name,
      subject,
      'PENDING',
      tags::text[],
      metadata,
      coalesce(options ->> 'category', 'TRANSACTIONAL'),
      options -> 'headerRecipients',
      (options ->> 'templateId')::uuid,
      CASE
        WHEN (options ->> 'scheduledAt')::timestamptz > now() THEN (options ->> 'scheduledAt')::timestamptz
      END,
      accepted_by,
      coalesce(options ->> 'sourceType', 'TRANSACTIONAL'),
      coalesce(
        destination,
        (
          SELECT
            learned.destination
          FROM
            destination_domains learned
          WHERE
            learned.domain = substring(
              to_email
              FROM
                '[^@]*$'
            )
            AND learned.destination IN ('gmail', 'outlook', 'yahoo', 'icloud')
        )
      )
    FROM
      email_to_accept
      JOIN send USING (send_index)
    ORDER BY
      id
    ON CONFLICT DO NOTHING
    RETURNING
      project_id,
      id,
      content_id,
      contact_id,
      from_email,
      to_email,
      source_type,
      created_at,
      category,
      coalesce(scheduled_at, created_at) AS due_at
  ),
  content AS (
    INSERT INTO
      email_contents (
        project_id,
        id,
        html,
        text,
        reply_to,
        headers,
        template_id,
        template_version,
        liquid,
        subject,
        from_name,
        data,
        snippets,
        track_opens,
        track_clicks,
        attachments
      )
    SELECT
      project_id,
      content_id,
      html,
      text,
      reply_to,
      headers,
      (options ->> 'templateId')::uuid,
      (options ->> 'templateVersion')::int,
      options ? 'liquid',
      options ->> 'subjectTemplate',
      options ->> 'fromNameTemplate',
      options -> 'data',
      options -> 'snippetVersions',
      (options ->> 'trackOpens')::boolean,
      (options ->> 'trackClicks')::boolean,
      options -> 'attachments'
    FROM
      send
    WHERE
      content_id IN (
        SELECT
          content_id
        FROM
          email
      )
  ),
  delivery AS (
    INSERT INTO
      deliveries (project_id, email_id, position, recipient, lane, state, due_at, expires_at, bytes, trace)
    SELECT
      email.project_id,
      email.id,
      target.position,
      target.recipient,
      CASE email.category
        WHEN 'MARKETING' THEN 1
        ELSE 0
      END,
      'QUEUED',
      email.due_at,
      email.due_at + make_interval(hours => 24),
      send.bytes,
      send.trace
    FROM
      email
      JOIN send USING (content_id),
      LATERAL (
        SELECT
          0 AS position,
          email.to_email AS recipient
        UNION ALL
        SELECT
          ordinality,
          value
        FROM
          jsonb_array_elements_text(send.options -> 'additionalRecipients') WITH ORDINALITY
        WHERE
          value <> email.to_email
      ) AS target
  ),
  stored_key AS (
    INSERT INTO
      idempotency_keys (project_id, operation, key, body_hash, receipt)
    SELECT
      project_id,
      operation,
      key,
      body_hash,
      receipt
    FROM
      send
    WHERE
      key IS NOT NULL
      AND content_id IN (
        SELECT
          content_id
        FROM
          email
      )
    ON CONFLICT (project_id, operation, key) DO UPDATE
    SET
      body_hash = excluded.body_hash,
      receipt = excluded.receipt,
      created_at = now()
  ),
  event AS (
    INSERT INTO
      outbox (id, project_id, event_name, items, traces)
    SELECT
      email_to_accept.outbox_row_id,
      email.project_id,
      'sending.email.accepted',
      jsonb_agg(
        jsonb_build_object(
          'emailId',
          email.id,
          'to',
          email.to_email,
          'from',
          email.from_email,
          'contactId',
          email.contact_id,
          'at',
          email.created_at,
          'sourceType',
          email.source_type
        )
      ),
      string_agg(DISTINCT email_to_accept.trace, ',')
    FROM
      email
      JOIN email_to_accept USING (id)
      JOIN send USING (send_index)
    GROUP BY
      email_to_accept.outbox_row_id,
      email.project_id
  )
SELECT DISTINCT
  content_id,
  created_at
FROM
  email;
