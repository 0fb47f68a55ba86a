-- Made by `npm run docs` from the declarations in the code; do not edit.

-- record-outcomes
/* record-outcomes */
WITH
  requested AS (
    SELECT
      *
    FROM
      unnest(
        $1::int[],
        $2::uuid[],
        $3::uuid[],
        $4::smallint[],
        $5::bigint[],
        $6::text[],
        $7::text[],
        $8::text[],
        $9::uuid[],
        $10::text[],
        $11::text[],
        $12::text[],
        $13::text[],
        $14::float8[],
        $15::smallint[],
        $16::boolean[],
        $17::smallint[],
        $18::boolean[],
        $19::boolean[],
        $20::smallint[],
        $21::uuid[],
        $22::text[],
        $23::text[],
        $24::text[],
        $25::text[],
        $26::boolean[],
        $27::smallint[],
        $28::int[]
      ) AS o (
        row_index,
        project_id,
        email_id,
        position,
        lease_token,
        recipient,
        subject,
        from_name,
        contact_id,
        state,
        status,
        failure_kind,
        error,
        delay_ms,
        counts_as_attempt,
        suppress,
        report_bits,
        waits_for_next_period,
        has_turn,
        resends,
        history_id,
        history_status,
        provider_message_id,
        stage,
        host,
        tls,
        reply_code,
        duration_ms
      )
  ),
  locked AS MATERIALIZED (
    -- In the order in which marks take their locks. A later mark then sees the suppression.
    SELECT
      pg_advisory_xact_lock(hashtextextended (project_id || email, 8))
    FROM
      (
        SELECT DISTINCT
          project_id,
          recipient AS email
        FROM
          requested
        WHERE
          suppress
        ORDER BY
          project_id,
          email
      ) AS address
  ),
  outcome AS MATERIALIZED (
    SELECT
      *
    FROM
      requested
    WHERE
      (
        SELECT
          count(*)
        FROM
          locked
      ) IS NOT NULL
  ),
  event AS (
    SELECT
      *
    FROM
      unnest($29::int[], $30::text[], $31::smallint[], $32::jsonb[], $33::text[]) AS e (row_index, name, bit, item, trace)
  ),
  written AS (
    UPDATE deliveries d
    -- Reported bits are those of provider-events/reported.ts: once one is set, they decide the state, not our own conclusion (such as a retry).
    SET
      state = CASE
        WHEN d.reported_bits | o.report_bits = 0 THEN o.state
        ELSE CASE
          WHEN (d.reported_bits | o.report_bits) & 32 <> 0 THEN 'BOUNCED'
          WHEN (d.reported_bits | o.report_bits) & 8 <> 0 THEN 'SENT'
          WHEN (d.reported_bits | o.report_bits) & 16 <> 0 THEN 'FAILED'
          ELSE 'SENT'
        END
      END,
      reported_bits = d.reported_bits | o.report_bits,
      due_at = now() + o.delay_ms * interval '1 millisecond',
      waits_for_next_period = o.waits_for_next_period,
      has_turn = o.has_turn,
      expires_at = CASE
        WHEN o.waits_for_next_period THEN now() + o.delay_ms * interval '1 millisecond' + interval '24 hours'
        ELSE d.expires_at
      END,
      attempts = d.attempts + o.counts_as_attempt,
      claims = CASE
        WHEN o.resends > 0 THEN d.claims
        ELSE 0
      END,
      resends = d.resends + o.resends,
      worker_id = CASE
        WHEN o.state = 'AMBIGUOUS'
        AND d.reported_bits = 0 THEN d.worker_id
      END
    FROM
      outcome o
    WHERE
      d.project_id = o.project_id
      AND d.email_id = o.email_id
      AND d.position = o.position
      AND d.lease_token = o.lease_token
      AND (
        d.state IN ('CLAIMED', 'HANDOFF')
        OR (
          d.state = 'AMBIGUOUS'
          AND o.state <> 'AMBIGUOUS'
        )
        OR (
          d.state = 'QUEUED'
          AND d.claims >= 3
        )
        -- Dropped by the operator; or requeued or held before the late outcome of an attempt arrived.
        OR (
          d.state IN ('QUEUED', 'HELD')
          AND o.state IN ('SENT', 'BOUNCED', 'FAILED')
        )
      )
    RETURNING
      o.row_index,
      d.attempts,
      old.reported_bits AS reported_before,
      d.reported_bits AS reported_after,
      old.reported_bits <> 0
      AND (
        o.status IS NULL
        OR o.status <> CASE
          WHEN (d.reported_bits) & 32 <> 0 THEN 'BOUNCED'
          WHEN (d.reported_bits) & 8 <> 0 THEN 'DELIVERED'
          WHEN (d.reported_bits) & 16 <> 0 THEN 'REJECTED'
          WHEN (d.reported_bits) & 4 <> 0 THEN 'FAILED'
          WHEN (d.reported_bits) & 2 <> 0 THEN 'DELIVERY_DELAY'
          ELSE 'SENT'
        END
      ) AS is_overruled_by_report
  ),
  updated_email AS (
    UPDATE emails e
    SET
      status = CASE w.reported_after
        WHEN 0 THEN coalesce(o.status, e.status)
        ELSE CASE
          WHEN (w.reported_after) & 32 <> 0 THEN 'BOUNCED'
          WHEN (w.reported_after) & 8 <> 0 THEN 'DELIVERED'
          WHEN (w.reported_after) & 16 <> 0 THEN 'REJECTED'
          WHEN (w.reported_after) & 4 <> 0 THEN 'FAILED'
          WHEN (w.reported_after) & 2 <> 0 THEN 'DELIVERY_DELAY'
          ELSE 'SENT'
        END
      END,
      subject = coalesce(o.subject, e.subject),
      from_name = coalesce(o.from_name, e.from_name),
      contact_id = coalesce(e.contact_id, o.contact_id),
      failure_kind = CASE
        WHEN w.is_overruled_by_report THEN e.failure_kind
        ELSE o.failure_kind
      END,
      provider_message_id = coalesce(e.provider_message_id, o.provider_message_id),
      error = CASE
        WHEN w.is_overruled_by_report THEN e.error
        ELSE o.error
      END,
      updated_at = now(),
      sent_at = CASE
        WHEN w.reported_after & ~ w.reported_before & 1 <> 0 THEN now()
        ELSE e.sent_at
      END,
      delivered_at = CASE
        WHEN w.reported_after & ~ w.reported_before & 8 <> 0 THEN now()
        ELSE e.delivered_at
      END,
      bounced_at = CASE
        WHEN w.reported_after & ~ w.reported_before & 32 <> 0 THEN now()
        ELSE e.bounced_at
      END
    FROM
      outcome o
      JOIN written w USING (row_index)
    WHERE
      e.project_id = o.project_id
      AND e.id = o.email_id
      AND o.position = 0
      AND (
        o.status IS NOT NULL
        OR w.reported_after <> 0
      )
    RETURNING
      o.row_index,
      jsonb_strip_nulls(
        jsonb_build_object(
          'emailId',
          e.id,
          'to',
          e.to_email,
          'from',
          e.from_email,
          'fromName',
          e.from_name,
          'subject',
          e.subject,
          'sourceType',
          e.source_type,
          'contactId',
          e.contact_id,
          'templateId',
          e.template_id,
          'campaignId',
          e.campaign_id,
          'providerMessageId',
          e.provider_message_id,
          'metadata',
          nullif(e.metadata, '{}')
        )
      ) AS details
  ),
  email_details AS MATERIALIZED (
    SELECT
      row_index,
      details
    FROM
      updated_email
    UNION ALL
    SELECT
      o.row_index,
      e.details
    FROM
      outcome o
      JOIN written USING (row_index),
      LATERAL (
        SELECT
          jsonb_build_object('emailId', c.id, 'from', c.from_email, 'sourceType', c.source_type) AS details
        FROM
          emails c
        WHERE
          c.project_id = o.project_id
          AND c.id = o.email_id
        LIMIT
          1
      ) AS e
    WHERE
      o.position > 0
  ),
  history AS (
    INSERT INTO
      email_events (project_id, email_id, id, status, recipient, detail, attempt, stage, host, tls, reply_code, duration_ms)
    SELECT
      project_id,
      email_id,
      history_id,
      history_status,
      recipient,
      error,
      attempts,
      stage,
      host,
      tls,
      reply_code,
      duration_ms
    FROM
      outcome
      JOIN written USING (row_index)
    WHERE
      history_status IS NOT NULL
  ),
  suppression AS (
    INSERT INTO
      suppressions (project_id, email, reason, source)
    SELECT DISTINCT
      project_id,
      recipient,
      'HARD_BOUNCE',
      'PROVIDER'
    FROM
      outcome
      JOIN written USING (row_index)
    WHERE
      suppress
    ON CONFLICT DO NOTHING
    RETURNING
      project_id,
      email
  ),
  published AS (
    INSERT INTO
      outbox (id, project_id, event_name, items, traces)
    SELECT
      uuidv7(),
      packed.project_id,
      packed.name,
      jsonb_agg(
        packed.item
        ORDER BY
          packed.row_index
      ),
      string_agg(DISTINCT packed.trace, ',')
    FROM
      (
        SELECT
          r.*,
          (row_number() OVER earlier - 1) / 256 AS by_count,
          sum(octet_length(r.item::text)) OVER earlier / 163840 AS by_bytes
        FROM
          (
            SELECT
              outcome.project_id,
              event.name,
              event.trace,
              row_index,
              CASE
                WHEN event.item ? 'emailId' THEN email_details.details
                ELSE '{}'
              END || event.item || jsonb_build_object('at', now()) AS item
            FROM
              event
              JOIN written USING (row_index)
              JOIN outcome USING (row_index)
              LEFT JOIN email_details USING (row_index)
            WHERE
              CASE
                WHEN event.item ? 'emailId' THEN email_details.row_index IS NOT NULL
                AND CASE event.bit
                  WHEN 0 THEN NOT written.is_overruled_by_report
                  ELSE written.reported_before & event.bit = 0
                END
                -- An address that was suppressed already is not announced again.
                ELSE EXISTS (
                  SELECT
                  FROM
                    suppression s
                  WHERE
                    s.project_id = outcome.project_id
                    AND s.email = outcome.recipient
                )
              END
          ) AS r
        WINDOW
          earlier AS (
            PARTITION BY
              r.project_id,
              r.name
            ORDER BY
              r.row_index ROWS UNBOUNDED PRECEDING
          )
      ) AS packed
    GROUP BY
      packed.project_id,
      packed.name,
      packed.by_count,
      packed.by_bytes
  )
SELECT
  row_index
FROM
  written;
