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
        $28::int[],
        $29::text[],
        $30::jsonb[]
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
        duration_ms,
        trace,
        events
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
      o.*,
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
        WHEN 0 THEN coalesce(w.status, e.status)
        ELSE CASE
          WHEN (w.reported_after) & 32 <> 0 THEN 'BOUNCED'
          WHEN (w.reported_after) & 8 <> 0 THEN 'DELIVERED'
          WHEN (w.reported_after) & 16 <> 0 THEN 'REJECTED'
          WHEN (w.reported_after) & 4 <> 0 THEN 'FAILED'
          WHEN (w.reported_after) & 2 <> 0 THEN 'DELIVERY_DELAY'
          ELSE 'SENT'
        END
      END,
      subject = coalesce(w.subject, e.subject),
      from_name = coalesce(w.from_name, e.from_name),
      contact_id = coalesce(e.contact_id, w.contact_id),
      failure_kind = CASE
        WHEN w.is_overruled_by_report THEN e.failure_kind
        ELSE w.failure_kind
      END,
      provider_message_id = coalesce(e.provider_message_id, w.provider_message_id),
      error = CASE
        WHEN w.is_overruled_by_report THEN e.error
        ELSE w.error
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
      written w
    WHERE
      e.project_id = w.project_id
      AND e.id = w.email_id
      AND w.position = 0
      AND (
        w.status IS NOT NULL
        OR w.reported_after <> 0
      )
    RETURNING
      w.project_id,
      w.row_index,
      w.trace,
      w.events,
      w.reported_before,
      w.is_overruled_by_report,
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
          nullif(e.metadata, '{}'),
          'tags',
          nullif(to_jsonb(e.tags), '[]'),
          'destination',
          e.destination
        )
      ) AS details
  ),
  described AS (
    SELECT
      *
    FROM
      updated_email
    UNION ALL
    SELECT
      w.project_id,
      w.row_index,
      w.trace,
      w.events,
      w.reported_before,
      w.is_overruled_by_report,
      e.details
    FROM
      written w,
      LATERAL (
        SELECT
          jsonb_build_object('emailId', c.id, 'from', c.from_email, 'sourceType', c.source_type) AS details
        FROM
          emails c
        WHERE
          c.project_id = w.project_id
          AND c.id = w.email_id
        LIMIT
          1
      ) AS e
    WHERE
      w.position > 0
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
      written
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
      written
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
              m.project_id,
              event.name,
              m.trace,
              m.row_index,
              m.details || event.item || jsonb_build_object('at', now()) AS item
            FROM
              described m,
              LATERAL jsonb_to_recordset(m.events) AS event (name text, bit smallint, item jsonb)
            WHERE
              event.item ? 'emailId'
              AND CASE event.bit
                WHEN 0 THEN NOT m.is_overruled_by_report
                ELSE m.reported_before & event.bit = 0
              END
            UNION ALL
            -- An address that was suppressed already is not announced again.
            SELECT
              w.project_id,
              event.name,
              w.trace,
              w.row_index,
              event.item || jsonb_build_object('at', now()) AS item
            FROM
              suppression s
              JOIN written w ON w.project_id = s.project_id
              AND w.recipient = s.email,
              LATERAL jsonb_to_recordset(w.events) AS event (name text, bit smallint, item jsonb)
            WHERE
              NOT event.item ? 'emailId'
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
