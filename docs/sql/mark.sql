-- Made by `npm run docs` from the declarations in the code; do not edit.

-- lock-addresses-warm-up
WITH
  requested AS (
    SELECT DISTINCT
      project_id,
      email
    FROM
      unnest($1::uuid[], $2::text[]) AS r (project_id, email)
    ORDER BY
      project_id,
      email
  ),
  address AS MATERIALIZED (
    SELECT
      pg_advisory_xact_lock_shared(hashtextextended (project_id || email, 8))
    FROM
      requested
  ),
  frequency_caps AS MATERIALIZED (
    SELECT
      pg_advisory_xact_lock(hashtextextended (project_id::text || ' ' || email, 12))
    FROM
      (
        SELECT
          project_id,
          email
        FROM
          requested
          JOIN project_states USING (project_id)
        WHERE
          cap_messages IS NOT NULL
          AND email LIKE '%@%'
        ORDER BY
          project_id,
          email
      ) AS capped
  ),
  limited AS MATERIALIZED (
    SELECT
      1
    FROM
      project_usage usage
    WHERE
      project_id IN (
        SELECT
          project_id
        FROM
          requested
      )
      AND num_nonnulls (
        usage.monthly_limit,
        usage.daily_limit,
        usage.transactional_limit,
        usage.campaign_limit,
        usage.workflow_limit,
        usage.inbound_limit
      ) > 0
    ORDER BY
      project_id
    FOR UPDATE
  ),
  slowed AS MATERIALIZED (
    SELECT
      1
    FROM
      slowed_destinations s
    WHERE
      provider = $3
      AND (
        destination = ANY ($4::text[])
        OR EXISTS (
          SELECT
          FROM
            destination_domains recipient_domain
          WHERE
            recipient_domain.domain = ANY ($4::text[])
            AND recipient_domain.destination = s.destination
        )
      )
    ORDER BY
      destination
    FOR UPDATE
  ),
  locked_warm_ups AS (
    INSERT INTO
      domain_warm_ups AS w (project_id, domain, first_day, day)
    SELECT DISTINCT
      r.project_id,
      d.domain,
      (now() AT TIME ZONE 'UTC')::date,
      (now() AT TIME ZONE 'UTC')::date
    FROM
      (
        SELECT
          *
        FROM
          unnest($5::uuid[], $6::text[]) AS m (project_id, sender_domain)
      ) AS r
      JOIN domains d ON d.project_id = r.project_id
      AND d.domain = (
        SELECT
          d.domain
        FROM
          domains d
        WHERE
          d.project_id = r.project_id
          AND (
            d.domain = r.sender_domain
            OR right(r.sender_domain, length(d.domain) + 1) = '.' || d.domain
          )
        ORDER BY
          length(d.domain) DESC
        LIMIT
          1
      )
    WHERE
      d.created_at > now() - interval '30 days'
    ORDER BY
      1,
      2
    ON CONFLICT (project_id, domain) DO UPDATE
    SET
      day = greatest(w.day, (now() AT TIME ZONE 'UTC')::date),
      sent = CASE
        WHEN w.day >= (now() AT TIME ZONE 'UTC')::date THEN w.sent
        ELSE 0
      END
    RETURNING
      1
  )
SELECT
  (
    SELECT
      count(*)
    FROM
      address
  ),
  (
    SELECT
      count(*)
    FROM
      frequency_caps
  ),
  (
    SELECT
      count(*)
    FROM
      limited
  ),
  (
    SELECT
      count(*)
    FROM
      slowed
  ),
  (
    SELECT
      count(*)
    FROM
      locked_warm_ups
  );

-- mark-hand-off-paced-warm-up
WITH
  requested AS (
    SELECT
      *
    FROM
      unnest(
        $2::int[],
        $3::uuid[],
        $4::uuid[],
        $5::smallint[],
        $6::bigint[],
        $7::text[],
        $8::text[],
        $9::text[],
        $10::text[],
        $11::text[],
        $12::text[]
      ) AS r (
        row_index,
        project_id,
        email_id,
        position,
        lease_token,
        source_type,
        category,
        address_hash,
        destination,
        sender_domain,
        main_address_hash
      )
  ),
  usage_so_far AS MATERIALIZED (
    SELECT
      c.project_id,
      sum(
        CASE
          WHEN c.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN c.transactional
          ELSE 0
        END
      )::int AS transactional,
      sum(
        CASE
          WHEN c.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN c.campaign
          ELSE 0
        END
      )::int AS campaign,
      sum(
        CASE
          WHEN c.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN c.workflow
          ELSE 0
        END
      )::int AS workflow,
      sum(
        CASE
          WHEN c.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN c.inbound
          ELSE 0
        END
      )::int AS inbound,
      sum(
        CASE
          WHEN c.day = (now() AT TIME ZONE 'UTC')::date THEN c.sent_today
          ELSE 0
        END
      )::int AS sent_today
    FROM
      usage_counts c
    WHERE
      c.project_id IN (
        SELECT
          usage.project_id
        FROM
          project_usage usage
        WHERE
          usage.project_id IN (
            SELECT
              project_id
            FROM
              requested
          )
          AND num_nonnulls (
            usage.monthly_limit,
            usage.daily_limit,
            usage.transactional_limit,
            usage.campaign_limit,
            usage.workflow_limit,
            usage.inbound_limit
          ) > 0
      )
    GROUP BY
      c.project_id
  ),
  slowed_now AS MATERIALIZED (
    SELECT
      destination,
      (
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
      ) AS rate
    FROM
      slowed_destinations s
    WHERE
      provider = $13::text
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
  ),
  checked AS (
    SELECT
      r.row_index,
      r.lease_token,
      r.address_hash,
      CASE
        WHEN project.cap_messages IS NOT NULL
        AND d.campaign_id IS NOT NULL
        AND coalesce(r.category = 'MARKETING', d.lane = 1)
        AND NOT EXISTS (
          SELECT
          FROM
            marketing_hand_offs sent
          WHERE
            sent.project_id = r.project_id
            AND sent.address_hash = r.address_hash
            AND sent.email_id = r.email_id
        ) THEN project.cap_messages - (
          SELECT
            count(*)
          FROM
            marketing_hand_offs sent
          WHERE
            sent.project_id = r.project_id
            AND sent.address_hash = r.address_hash
            AND sent.at > now() - make_interval(days => project.cap_days)
            AND NOT EXISTS (
              SELECT
              FROM
                emails e
              WHERE
                e.project_id = sent.project_id
                AND e.id = sent.email_id
                AND e.status = 'FAILED'
                AND e.failure_kind <> 'delivery_unconfirmed'
            )
        )
      END AS frequency_cap_remaining,
      (
        d.quiet_seconds - mod(
          extract(
            epoch
            FROM
              now() - d.quiet_from
          )::bigint + CASE
            WHEN now() >= d.quiet_shift_at THEN d.quiet_shift_seconds
            ELSE 0
          END,
          86400
        )
      )::float8 * 1000 AS quiet_wait_ms,
      r.project_id,
      r.email_id,
      r.position,
      CASE
        WHEN r.source_type = 'TRANSACTIONAL'
        AND d.lane = 1 THEN 'CAMPAIGN'
        ELSE r.source_type
      END AS source_type,
      d.lane,
      (
        d.uses_allowance
        OR d.recipient LIKE '%@simulator.posthorn.test'
      ) AS is_exempt,
      usage.when_exhausted,
      (
        CASE CASE
            WHEN r.source_type = 'TRANSACTIONAL'
            AND d.lane = 1 THEN 'CAMPAIGN'
            ELSE r.source_type
          END
          WHEN 'TRANSACTIONAL' THEN usage.transactional_limit - coalesce(usage_so_far.transactional, 0)
          WHEN 'CAMPAIGN' THEN usage.campaign_limit - coalesce(usage_so_far.campaign, 0)
          WHEN 'WORKFLOW' THEN usage.workflow_limit - coalesce(usage_so_far.workflow, 0)
          WHEN 'INBOUND' THEN usage.inbound_limit - coalesce(usage_so_far.inbound, 0)
        END
      ) AS remaining_of_source,
      (
        usage.monthly_limit - (
          coalesce(usage_so_far.transactional, 0) + coalesce(usage_so_far.campaign, 0) + coalesce(usage_so_far.workflow, 0) + coalesce(usage_so_far.inbound, 0)
        )
      ) AS remaining_of_month,
      (usage.daily_limit - coalesce(usage_so_far.sent_today, 0)) AS remaining_of_day,
      warm_up.domain AS warm_up_domain,
      warm_up.left_today AS warm_up_left,
      slow.destination AS slow_destination,
      slow.rate AS slow_rate,
      line.last_turn_at,
      line.line_count,
      d.has_turn,
      slow.destination IS NOT NULL
      AND NOT d.has_turn
      AND NOT (d.recipient LIKE '%@simulator.posthorn.test') AS needs_turn,
      CASE
        WHEN d.state <> 'CLAIMED'
        OR d.lease_token <> r.lease_token
        OR d.worker_id IS DISTINCT FROM $1 THEN 'claim_lost'
        WHEN project.project_id IS NULL THEN 'unknown_project'
        WHEN project.disabled THEN 'disabled'
        WHEN campaign.state = 'CANCELLED' THEN 'campaign_cancelled'
        WHEN campaign.state = 'PAUSED' THEN 'campaign_paused'
        WHEN d.campaign_id IS NOT NULL
        AND erased.project_id IS NOT NULL
        AND EXISTS (
          SELECT
            1
          FROM
            emails e
          WHERE
            e.project_id = r.project_id
            AND e.id = r.email_id
            AND e.contact_id = erased.contact_id
        ) THEN 'suppressed'
        WHEN d.expires_at <= now() - interval '5 minutes' THEN 'expired'
        WHEN suppression.email IS NOT NULL THEN 'suppressed'
        WHEN erased.project_id IS NOT NULL
        AND EXISTS (
          SELECT
            1
          FROM
            suppressions hashed
          WHERE
            hashed.project_id = r.project_id
            AND hashed.email = r.address_hash
        ) THEN 'suppressed'
        WHEN r.position > 0
        AND EXISTS (
          SELECT
            1
          FROM
            emails e
            JOIN suppressions main ON main.project_id = e.project_id
            AND main.email IN (e.to_email, r.main_address_hash)
          WHERE
            e.project_id = r.project_id
            AND e.id = r.email_id
        ) THEN 'suppressed'
        WHEN r.position > 0
        AND coalesce(r.category = 'MARKETING', d.lane = 1)
        AND EXISTS (
          SELECT
            1
          FROM
            emails e
            JOIN opt_outs main ON main.project_id = e.project_id
            AND main.email IN (e.to_email, r.main_address_hash)
            AND main.opted_out
          WHERE
            e.project_id = r.project_id
            AND e.id = r.email_id
        ) THEN 'unsubscribed'
        WHEN coalesce(r.category = 'MARKETING', d.lane = 1)
        AND opt_out.opted_out THEN 'unsubscribed'
        WHEN coalesce(r.category = 'MARKETING', d.lane = 1)
        AND erased.project_id IS NOT NULL
        AND EXISTS (
          SELECT
            1
          FROM
            opt_outs hashed
          WHERE
            hashed.project_id = r.project_id
            AND hashed.email = r.address_hash
            AND hashed.opted_out
        ) THEN 'unsubscribed'
        WHEN d.quiet_from <= now()
        AND mod(
          extract(
            epoch
            FROM
              now() - d.quiet_from
          )::bigint + CASE
            WHEN now() >= d.quiet_shift_at THEN d.quiet_shift_seconds
            ELSE 0
          END,
          86400
        ) < d.quiet_seconds THEN 'quiet_hours'
        ELSE 'ok'
      END AS by_rules
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
      LEFT JOIN usage_so_far ON usage_so_far.project_id = r.project_id
      LEFT JOIN destination_domains recipient_domain ON (
        SELECT
          count(*)
        FROM
          slowed_now
      ) > 0
      AND recipient_domain.domain = r.destination
      LEFT JOIN LATERAL (
        SELECT
          s.destination,
          s.rate
        FROM
          slowed_now s
        WHERE
          s.destination IN (r.destination, recipient_domain.destination, '*')
        ORDER BY
          s.rate
        LIMIT
          1
      ) AS slow ON true
      LEFT JOIN LATERAL (
        SELECT
          max(t.last_turn_at) FILTER (
            WHERE
              t.project_id = r.project_id
              AND t.lane = d.lane
          ) AS last_turn_at,
          1 + count(*) FILTER (
            WHERE
              t.last_turn_at > now()
              AND NOT (
                t.project_id = r.project_id
                AND t.lane = d.lane
              )
          ) AS line_count
        FROM
          destination_lines t
        WHERE
          slow.destination IS NOT NULL
          AND t.provider = $13::text
          AND t.destination = slow.destination
      ) AS line ON true
      LEFT JOIN LATERAL (
        SELECT
          w.domain,
          floor(50 * power(1 + 20::float8 / 100, w.day - w.first_day)) - w.sent AS left_today
        FROM
          domain_warm_ups w
        WHERE
          w.project_id = r.project_id
          AND w.domain = (
            SELECT
              d.domain
            FROM
              domains d
            WHERE
              d.project_id = r.project_id
              AND (
                d.domain = r.sender_domain
                OR right(r.sender_domain, length(d.domain) + 1) = '.' || d.domain
              )
            ORDER BY
              length(d.domain) DESC
            LIMIT
              1
          )
          AND w.day - w.first_day < 30
      ) AS warm_up ON true
  ),
  capped AS (
    SELECT
      *,
      CASE
        WHEN by_rules <> 'ok' THEN by_rules
        WHEN row_number() OVER (
          PARTITION BY
            by_rules = 'ok',
            project_id,
            address_hash,
            frequency_cap_remaining IS NOT NULL
          ORDER BY
            row_index
        ) > frequency_cap_remaining THEN 'frequency_cap'
        ELSE 'ok'
      END AS by_cap
    FROM
      checked
  ),
  with_turns AS (
    SELECT
      *,
      CASE
        WHEN by_cap = 'ok'
        AND needs_turn THEN greatest(last_turn_at, now()) + row_number() OVER (
          PARTITION BY
            by_cap = 'ok',
            slow_destination,
            project_id,
            lane,
            needs_turn
          ORDER BY
            row_index
        ) * line_count / slow_rate * interval '1 second'
      END AS turn_at
    FROM
      capped
  ),
  slowed_down AS (
    SELECT
      *,
      CASE
        WHEN by_cap <> 'ok' THEN by_cap
        WHEN turn_at > now() + interval '100 milliseconds' THEN 'slowed'
        ELSE 'ok'
      END AS by_turn
    FROM
      with_turns
  ),
  warmed_up AS (
    SELECT
      *,
      CASE
        WHEN by_turn <> 'ok' THEN by_turn
        WHEN NOT is_exempt
        AND lane = 1
        AND row_number() OVER (
          PARTITION BY
            by_turn = 'ok',
            project_id,
            warm_up_domain,
            is_exempt
          ORDER BY
            row_index
        ) > warm_up_left THEN 'warming_up'
        ELSE 'ok'
      END AS by_warm_up
    FROM
      slowed_down
  ),
  limited_by_source AS (
    SELECT
      *,
      CASE
        WHEN by_warm_up <> 'ok' THEN by_warm_up
        WHEN NOT is_exempt
        AND row_number() OVER (
          PARTITION BY
            by_warm_up = 'ok',
            project_id,
            source_type,
            is_exempt
          ORDER BY
            row_index
        ) > remaining_of_source THEN 'over_source'
        ELSE 'ok'
      END AS by_source
    FROM
      warmed_up
  ),
  ranked AS (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY
          by_source = 'ok',
          project_id,
          is_exempt
        ORDER BY
          row_index
      ) AS rank
    FROM
      limited_by_source
  ),
  limited AS (
    SELECT
      *,
      CASE
        WHEN by_source <> 'ok' THEN by_source
        WHEN NOT is_exempt
        AND rank > remaining_of_month THEN 'over_month'
        WHEN NOT is_exempt
        AND rank > remaining_of_day THEN 'over_day'
        ELSE 'ok'
      END AS by_allowance
    FROM
      ranked
  ),
  decided AS (
    SELECT
      *,
      CASE
        WHEN by_allowance IN ('over_source', 'over_month', 'over_day') THEN 'quota'
        ELSE by_allowance
      END AS decision,
      CASE
        WHEN by_allowance IN ('over_source', 'over_month') THEN ((date_trunc('month', now() AT TIME ZONE 'UTC')::date + interval '1 month') AT TIME ZONE 'UTC')
        ELSE (((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC')
      END AS until
    FROM
      limited
  ),
  marked AS (
    UPDATE deliveries d
    SET
      state = 'HANDOFF',
      uses_allowance = d.uses_allowance
      OR NOT decided.is_exempt
    FROM
      decided
    WHERE
      d.project_id = decided.project_id
      AND d.email_id = decided.email_id
      AND d.position = decided.position
      AND decided.decision = 'ok'
      AND d.state = 'CLAIMED'
      AND d.lease_token = decided.lease_token
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
      decided.row_index,
      decided.project_id,
      decided.email_id,
      decided.address_hash,
      decided.frequency_cap_remaining,
      decided.source_type,
      decided.warm_up_domain,
      decided.is_exempt
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
  marketing AS (
    INSERT INTO
      marketing_hand_offs (project_id, address_hash, email_id, at)
    SELECT
      project_id,
      address_hash,
      email_id,
      now()
    FROM
      (
        SELECT
          project_id,
          address_hash,
          email_id
        FROM
          marked
        WHERE
          frequency_cap_remaining IS NOT NULL
      ) AS m
    ORDER BY
      project_id,
      address_hash,
      email_id
    ON CONFLICT DO NOTHING
    RETURNING
      1
  ),
  turns AS (
    INSERT INTO
      destination_lines AS line(provider, destination, project_id, lane, last_turn_at)
    SELECT
      $13::text,
      slow_destination,
      project_id,
      lane,
      max(turn_at)
    FROM
      (
        SELECT
          slow_destination,
          project_id,
          lane,
          turn_at
        FROM
          decided
        WHERE
          turn_at <= now() + interval '10 minutes'
      ) AS given
    GROUP BY
      slow_destination,
      project_id,
      lane
    ORDER BY
      slow_destination,
      project_id,
      lane
    ON CONFLICT (provider, destination, project_id, lane) DO UPDATE
    SET
      last_turn_at = greatest(line.last_turn_at, excluded.last_turn_at)
    RETURNING
      1
  ),
  counted_warm_ups AS (
    UPDATE domain_warm_ups w
    SET
      sent = w.sent + sent.count
    FROM
      (
        SELECT
          project_id,
          warm_up_domain,
          count(*)::int AS count
        FROM
          (
            SELECT
              project_id,
              warm_up_domain
            FROM
              marked
            WHERE
              NOT is_exempt
          ) AS m
        GROUP BY
          project_id,
          warm_up_domain
      ) AS sent
    WHERE
      w.project_id = sent.project_id
      AND w.domain = sent.warm_up_domain
    RETURNING
      1
  ),
  paced AS (
    INSERT INTO
      pace AS p (provider, next_at)
    SELECT
      $14::text,
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
          ) + (
            SELECT
              count(*)
            FROM
              turns
          ) + (
            SELECT
              count(*)
            FROM
              counted_warm_ups
          ) >= 0
      ) * $15::float8 * interval '1 millisecond'
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
          ) + (
            SELECT
              count(*)
            FROM
              turns
          ) + (
            SELECT
              count(*)
            FROM
              counted_warm_ups
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
          ) + (
            SELECT
              count(*)
            FROM
              turns
          ) + (
            SELECT
              count(*)
            FROM
              counted_warm_ups
          ) >= 0
      ) * $15::float8 * interval '1 millisecond'
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
          ) + (
            SELECT
              count(*)
            FROM
              turns
          ) + (
            SELECT
              count(*)
            FROM
              counted_warm_ups
          ) >= 0
      ) * $15::float8 AS first_slot_ms
  )
SELECT
  decided.row_index AS index,
  CASE
    WHEN decided.decision = 'ok'
    AND marked.row_index IS NULL THEN 'claim_lost'
    ELSE decided.decision
  END AS decision,
  CASE
    WHEN decided.decision = 'quota'
    AND decided.when_exhausted = 'HOLD'
    OR decided.decision = 'warming_up' THEN extract(
      epoch
      FROM
        decided.until - now()
    )::float8 * 1000
    WHEN decided.decision = 'quiet_hours' THEN decided.quiet_wait_ms
    WHEN decided.decision = 'slowed' THEN CASE
      WHEN decided.turn_at <= now() + interval '10 minutes' THEN extract(
        epoch
        FROM
          decided.turn_at - now()
      )::float8 * 1000
      ELSE 600000 * (1 + random() / 2)
    END
  END AS "delayMs",
  decided.has_turn
  OR coalesce(decided.turn_at <= now() + interval '10 minutes', false) AS "hasTurn",
  (
    SELECT
      first_slot_ms
    FROM
      paced
  ) AS "firstSlotMs"
FROM
  decided
  LEFT JOIN marked USING (row_index);
