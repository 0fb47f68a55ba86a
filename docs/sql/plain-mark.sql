-- Made by `npm run docs` from the declarations in the code; do not edit.

-- lock-addresses-plain
SELECT
  pg_advisory_xact_lock_shared(hashtextextended (project_id || email, 8))
FROM
  (
    SELECT DISTINCT
      project_id,
      email
    FROM
      unnest($1::uuid[], $2::text[]) AS r (project_id, email)
    ORDER BY
      project_id,
      email
  ) AS requested;

-- mark-hand-off-plain-paced
/* mark-hand-off-plain */
WITH
  requested AS (
    SELECT
      *
    FROM
      unnest($2::int[], $3::uuid[], $4::uuid[], $5::smallint[], $6::bigint[], $7::text[], $8::text[], $9::text[]) AS r (row_index, project_id, email_id, position, lease_token, source_type, category, address_hash)
  ),
  checked AS MATERIALIZED (
    SELECT
      r.row_index,
      r.lease_token,
      r.project_id,
      r.email_id,
      r.position,
      CASE
        WHEN r.source_type = 'TRANSACTIONAL'
        AND d.lane = 1 THEN 'CAMPAIGN'
        ELSE r.source_type
      END AS source_type,
      (
        d.uses_allowance
        OR d.recipient LIKE '%@simulator.posthorn.test'
      ) AS is_exempt,
      CASE
        WHEN d.state <> 'CLAIMED'
        OR d.lease_token <> r.lease_token
        OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        WHEN (
          d.position > 0
          OR d.has_turn
          OR d.quiet_from IS NOT NULL
          OR erased.project_id IS NOT NULL
          OR project.cap_messages IS NOT NULL
          OR num_nonnulls (
            usage.monthly_limit,
            usage.daily_limit,
            usage.transactional_limit,
            usage.campaign_limit,
            usage.workflow_limit,
            usage.inbound_limit
          ) > 0
          OR EXISTS (
            SELECT
            FROM
              slowed_destinations s
            WHERE
              s.provider = $10::text
              AND NOT (
                s.rate * power(
                  1.25,
                  least(
                    extract(
                      epoch
                      FROM
                        now() - s.slowed_at
                    )::float8 / 60,
                    200
                  )
                )
              ) >= s.full_rate
          )
        ) THEN NULL
        WHEN project.project_id IS NULL THEN 'unknown_project'
        WHEN project.disabled THEN 'disabled'
        WHEN campaign.state = 'CANCELLED' THEN 'campaign_cancelled'
        WHEN campaign.state = 'PAUSED' THEN 'campaign_paused'
        WHEN d.expires_at <= now() - interval '5 minutes' THEN 'expired'
        WHEN suppression.email IS NOT NULL THEN 'suppressed'
        WHEN coalesce(r.category = 'MARKETING', d.lane = 1)
        AND opt_out.opted_out THEN 'unsubscribed'
        ELSE 'ok'
      END AS decision
    FROM
      requested r
      JOIN deliveries d USING (project_id, email_id, position)
      LEFT JOIN project_states project USING (project_id)
      LEFT JOIN campaign_states campaign ON campaign.project_id = r.project_id
      AND campaign.campaign_id = d.campaign_id
      LEFT JOIN suppressions suppression ON suppression.project_id = r.project_id
      AND suppression.email = d.recipient
      LEFT JOIN opt_outs opt_out ON opt_out.project_id = r.project_id
      AND opt_out.email = d.recipient
      LEFT JOIN erased_addresses erased ON erased.project_id = r.project_id
      AND erased.email = r.address_hash
      LEFT JOIN project_usage usage ON usage.project_id = r.project_id
  ),
  marked AS (
    UPDATE deliveries d
    SET
      state = 'HANDOFF',
      uses_allowance = d.uses_allowance
      OR NOT checked.is_exempt
    FROM
      checked
    WHERE
      d.project_id = checked.project_id
      AND d.email_id = checked.email_id
      AND d.position = checked.position
      AND checked.decision = 'ok'
      AND d.state = 'CLAIMED'
      AND d.lease_token = checked.lease_token
      AND EXISTS (
        SELECT
          1
        FROM
          workers
        WHERE
          id = $1
          AND expires_at > now()
      )
    RETURNING
      checked.row_index,
      checked.project_id,
      checked.source_type,
      checked.is_exempt
  ),
  used AS (
    INSERT INTO
      usage_counts AS known (project_id, shard, month, day, sent_today, transactional, campaign, workflow, inbound)
    SELECT
      project_id,
      pg_backend_pid() % 16,
      date_trunc('month', now() AT TIME ZONE 'UTC')::date,
      (now() AT TIME ZONE 'UTC')::date,
      count(*),
      count(*) FILTER (
        WHERE
          source_type = 'TRANSACTIONAL'
      ),
      count(*) FILTER (
        WHERE
          source_type = 'CAMPAIGN'
      ),
      count(*) FILTER (
        WHERE
          source_type = 'WORKFLOW'
      ),
      count(*) FILTER (
        WHERE
          source_type = 'INBOUND'
      )
    FROM
      (
        SELECT
          project_id,
          source_type
        FROM
          marked
        WHERE
          NOT is_exempt
      ) AS counted
    GROUP BY
      project_id
    ORDER BY
      project_id
    ON CONFLICT (project_id, shard) DO UPDATE
    SET
      month = greatest(known.month, excluded.month),
      day = greatest(known.day, excluded.day),
      -- A transaction that began before midnight may come after one that began later.
      sent_today = CASE
        WHEN known.day >= excluded.day THEN known.sent_today
        ELSE 0
      END + excluded.sent_today,
      transactional = CASE
        WHEN known.month >= excluded.month THEN known.transactional
        ELSE 0
      END + excluded.transactional,
      campaign = CASE
        WHEN known.month >= excluded.month THEN known.campaign
        ELSE 0
      END + excluded.campaign,
      workflow = CASE
        WHEN known.month >= excluded.month THEN known.workflow
        ELSE 0
      END + excluded.workflow,
      inbound = CASE
        WHEN known.month >= excluded.month THEN known.inbound
        ELSE 0
      END + excluded.inbound
    RETURNING
      1
  ),
  paced AS (
    INSERT INTO
      pace AS p (provider, next_at)
    SELECT
      $11::text,
      clock_timestamp() + (
        SELECT
          count(*)
        FROM
          marked
        WHERE
          (
            SELECT
              count(*)
            FROM
              used
          ) >= 0
      ) * $12::float8 * interval '1 millisecond'
    WHERE
      (
        SELECT
          count(*)
        FROM
          marked
        WHERE
          (
            SELECT
              count(*)
            FROM
              used
          ) >= 0
      ) > 0
    ON CONFLICT (provider) DO UPDATE
    SET
      next_at = greatest(p.next_at, clock_timestamp()) + (
        SELECT
          count(*)
        FROM
          marked
        WHERE
          (
            SELECT
              count(*)
            FROM
              used
          ) >= 0
      ) * $12::float8 * interval '1 millisecond'
    RETURNING
      extract(
        epoch
        FROM
          next_at - clock_timestamp()
      )::float8 * 1000 - (
        SELECT
          count(*)
        FROM
          marked
        WHERE
          (
            SELECT
              count(*)
            FROM
              used
          ) >= 0
      ) * $12::float8 AS first_slot_ms
  )
SELECT
  row_index AS index,
  decision,
  NULL::float8 AS "delayMs",
  false AS "hasTurn",
  (
    SELECT
      first_slot_ms
    FROM
      paced
  ) AS "firstSlotMs"
FROM
  (
    SELECT
      row_index,
      'ok' AS decision
    FROM
      marked
    UNION ALL
    SELECT
      row_index,
      decision
    FROM
      checked
    WHERE
      decision IS DISTINCT FROM 'ok'
  ) AS decided;
