-- Made by `npm run docs` from the declarations in the code; do not edit.

-- write contacts
WITH
  lock_limit AS MATERIALIZED (
    SELECT
      set_config('lock_timeout', $2::text, true) AS set
    WHERE
      $2::text IS NOT NULL
  ),
  requested AS (
    SELECT
      *
    FROM
      unnest(
        $3::int[],
        $4::text[],
        $5::uuid[],
        $6::uuid[],
        $7::text[],
        $8::int[],
        $9::text[],
        $10::text[],
        $11::timestamptz[],
        $12::int[]
      ) AS request (position, key, project_id, id, email, flags, fields, removed, deadline, group_number)
    WHERE
      (
        SELECT
          count(
            set
          )
        FROM
          lock_limit
      ) IS NOT NULL
  ),
  changed AS (
    INSERT INTO
      contacts AS known (project_id, id, email, subscribed, custom_fields)
    SELECT
      project_id,
      id,
      email,
      flags & 1 <> 0,
      fields::jsonb
    FROM
      requested
    WHERE
      (
        deadline IS NULL
        OR clock_timestamp() < deadline
      )
      AND (
        flags & 16 = 0
        OR EXISTS (
          SELECT
          FROM
            (
              SELECT
                *
              FROM
                contacts c
              WHERE
                c.project_id = requested.project_id
                AND c.email >= requested.email
              ORDER BY
                c.email
              LIMIT
                1
            ) AS nearest
          WHERE
            nearest.email = requested.email
        )
      )
    ORDER BY
      position
    ON CONFLICT (project_id, email) DO UPDATE
    SET
      subscribed = CASE
        WHEN ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 2 <> 0 THEN known.subscribed
        ELSE excluded.subscribed
      END,
      custom_fields = CASE
        WHEN ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 4 <> 0 THEN excluded.custom_fields
        ELSE (known.custom_fields || excluded.custom_fields) - coalesce(($10::text[]) [width_bucket(excluded.id, ($6::uuid[]))]::text[], '{}')
      END,
      seq = known.seq + 1,
      updated_at = clock_timestamp()
    WHERE
      ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 8 = 0
      AND (
        known.subscribed <> CASE
          WHEN ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 2 <> 0 THEN known.subscribed
          ELSE excluded.subscribed
        END
        OR known.custom_fields <> CASE
          WHEN ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 4 <> 0 THEN excluded.custom_fields
          ELSE (known.custom_fields || excluded.custom_fields) - coalesce(($10::text[]) [width_bucket(excluded.id, ($6::uuid[]))]::text[], '{}')
        END
      )
      AND (
        ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 64 <> 0
        OR octet_length(
          (
            CASE
              WHEN ($8::int[]) [width_bucket(excluded.id, ($6::uuid[]))] & 4 <> 0 THEN excluded.custom_fields
              ELSE (known.custom_fields || excluded.custom_fields) - coalesce(($10::text[]) [width_bucket(excluded.id, ($6::uuid[]))]::text[], '{}')
            END
          )::text
        ) <= 65536
      )
    RETURNING
      known.*,
      old.subscribed AS was_subscribed,
      old.custom_fields AS was_fields,
      old.seq AS was_seq,
      CASE
        WHEN old.id IS NULL THEN width_bucket(known.id, ($6::uuid[]))
        ELSE width_bucket(known.project_id::text || known.email COLLATE "C", ($4::text[]))
      END AS position
  ),
  counted AS (
    INSERT INTO
      contact_count_deltas (project_id, total, subscribed)
    SELECT
      project_id,
      total,
      subscribed
    FROM
      (
        SELECT
          project_id,
          count(*) FILTER (
            WHERE
              was_seq IS NULL
          ) AS total,
          sum(subscribed::int - coalesce(was_subscribed::int, 0)) AS subscribed
        FROM
          changed
        GROUP BY
          project_id
      ) AS sums
    WHERE
      total <> 0
      OR subscribed <> 0
  ),
  consent AS (
    INSERT INTO
      consents (project_id, id, contact_id, before, after, at, source, actor, address, user_agent, text)
    SELECT
      changed.project_id,
      uuidv7(),
      changed.id,
      changed.was_subscribed,
      changed.subscribed,
      changed.updated_at,
      origin.source,
      origin.actor::jsonb,
      origin.address,
      origin.user_agent,
      origin.text
    FROM
      changed,
      LATERAL (
        SELECT
          ($13::text[]) [($12::int[]) [position]] AS actor,
          ($14::text[]) [($12::int[]) [position]] AS address,
          ($16::text[]) [($12::int[]) [position]] AS user_agent,
          ($17::text[]) [($12::int[]) [position]] AS source,
          ($18::text[]) [($12::int[]) [position]] AS text
      ) AS origin
    WHERE
      changed.subscribed IS DISTINCT FROM changed.was_subscribed
  ),
  marked AS (
    INSERT INTO
      segment_dirty (project_id, contact_id)
    SELECT
      changed.project_id,
      changed.id
    FROM
      changed AS changed
      JOIN segment_watches USING (project_id)
    RETURNING
      project_id
  ),
  signalled AS (
    INSERT INTO
      work_items (id, kind, project_id, exclusive, state)
    SELECT
      gen_random_uuid(),
      'contacts.segment-upkeep',
      changed.project_id,
      true,
      'READY'
    FROM
      (
        SELECT DISTINCT
          project_id
        FROM
          marked
      ) AS changed
  ),
  published AS (
    INSERT INTO
      outbox (id, project_id, event_name, items, traces, actor, ip_address)
    SELECT
      uuidv7(),
      project_id,
      event,
      items,
      $1,
      ($13::text[]) [group_number]::jsonb,
      ($15::text[]) [group_number]
    FROM
      (
        SELECT
          project_id,
          event,
          group_number,
          jsonb_agg(
            jsonb_build_object(
              'contactId',
              id,
              'email',
              email,
              'subscribed',
              subscribed,
              'seq',
              seq,
              'source',
              ($17::text[]) [group_number],
              'at',
              to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            )
            ORDER BY
              position
          ) AS items
        FROM
          (
            SELECT
              *,
              CASE
                WHEN was_seq IS NULL THEN CASE
                  WHEN ($8::int[]) [position] & 32 = 0 THEN 'contacts.contact.created'
                END
                WHEN subscribed = was_subscribed THEN 'contacts.contact.updated'
                WHEN subscribed THEN 'contacts.contact.subscribed'
                ELSE 'contacts.contact.unsubscribed'
              END AS event,
              ($12::int[]) [position] AS group_number
            FROM
              changed
          ) AS events
        WHERE
          event IS NOT NULL
        GROUP BY
          project_id,
          event,
          group_number
      ) AS events
  )
SELECT
  position,
  id,
  subscribed,
  custom_fields AS "customFields",
  seq,
  created_at AS "createdAt",
  updated_at AS "updatedAt",
  was_subscribed AS "wasSubscribed",
  was_fields AS "wasFields",
  was_seq AS "wasSeq"
FROM
  changed;
