-- Made by `npm run docs` from the declarations in the code; do not edit.

-- claim
WITH RECURSIVE
  project AS (
    (
      SELECT
        project_id,
        due_at <= now()
        AND project_id <> ALL ($6::uuid[])
        AND NOT EXISTS (
          SELECT
          FROM
            project_states s
          WHERE
            s.project_id = deliveries.project_id
            AND s.disabled
        ) AS is_claimable,
        (
          due_at <= now()
          AND project_id <> ALL ($6::uuid[])
          AND NOT EXISTS (
            SELECT
            FROM
              project_states s
            WHERE
              s.project_id = deliveries.project_id
              AND s.disabled
          )
        )::int AS due_project_count
      FROM
        deliveries
      WHERE
        state = 'QUEUED'
        AND lane = $1
        AND project_id > $2
      ORDER BY
        project_id,
        due_at
      LIMIT
        1
    )
    UNION ALL
    -- Projects with scheduled messages only do not count.
    SELECT
      following.project_id,
      following.is_claimable,
      project.due_project_count + following.is_claimable::int
    FROM
      project,
      LATERAL (
        SELECT
          project_id,
          due_at <= now()
          AND project_id <> ALL ($6::uuid[])
          AND NOT EXISTS (
            SELECT
            FROM
              project_states s
            WHERE
              s.project_id = deliveries.project_id
              AND s.disabled
          ) AS is_claimable
        FROM
          deliveries
        WHERE
          state = 'QUEUED'
          AND lane = $1
          AND project_id > project.project_id
        ORDER BY
          project_id,
          due_at
        LIMIT
          1
      ) AS following
    WHERE
      project.due_project_count < 100
  ),
  share AS (
    SELECT
      greatest(20, $3 / greatest(count(*), 1)) AS size
    FROM
      project
    WHERE
      is_claimable
  ),
  due AS (
    SELECT
      taken.*,
      bytes > 1048576 AS is_large,
      row_number() OVER () AS rank
    FROM
      project,
      LATERAL (
        SELECT
          project_id,
          email_id,
          position,
          bytes
        FROM
          deliveries
        WHERE
          state = 'QUEUED'
          AND lane = $1
          AND project_id = project.project_id
          AND due_at <= now()
          -- Messages whose last claimer died are claimed apart.
          AND claims = 0
          AND bytes <= CASE
            WHEN $8 THEN 2147483647
            ELSE greatest(1048576, $7)
          END
        ORDER BY
          due_at
        LIMIT
          (
            SELECT
              size
            FROM
              share
          )
        FOR UPDATE
          SKIP LOCKED
      ) AS taken
    WHERE
      project.is_claimable
    LIMIT
      $3
  ),
  bounded AS (
    SELECT
      *
    FROM
      (
        SELECT
          due.*,
          sum(bytes) OVER (
            PARTITION BY
              is_large
            ORDER BY
              rank
          ) AS running_bytes
        FROM
          due
      ) AS summed
    WHERE
      CASE
        WHEN is_large THEN running_bytes <= $7
        OR (
          $8
          AND running_bytes = bytes
        )
        ELSE running_bytes - bytes < $5
      END
  ),
  claimed AS (
    UPDATE deliveries d
    SET
      state = 'CLAIMED',
      worker_id = $4,
      lease_token = d.lease_token + 1,
      claims = d.claims + 1
    FROM
      bounded b
    WHERE
      d.project_id = b.project_id
      AND d.email_id = b.email_id
      AND d.position = b.position
    RETURNING
      d.*
  )
SELECT
  c.project_id AS "projectId",
  c.email_id AS "emailId",
  c.position,
  c.recipient,
  c.lane,
  c.attempts,
  c.resends,
  c.lease_token AS "leaseToken",
  c.claims,
  c.bytes,
  extract(
    epoch
    FROM
      now() - c.expires_at + interval '24 hours'
  )::float8 * 1000 AS "windowAgeMs",
  extract(
    epoch
    FROM
      now() - coalesce(e.scheduled_at, e.created_at)
  )::float8 * 1000 AS "ageMs",
  c.waits_for_next_period AS "waitsForNextPeriod",
  c.expires_at <= now() AS "windowIsOver",
  e.contact_id AS "contactId",
  e.created_at AS "acceptedAt",
  json_build_object('email', e.from_email, 'name', e.from_name) AS "from",
  json_build_object('email', e.to_email, 'name', e.to_name) AS "to",
  coalesce(content.subject, e.subject) AS subject,
  coalesce(e.scheduled_at, e.created_at) AS date,
  e.category,
  e.source_type AS "sourceType",
  e.campaign_id AS "campaignId",
  e.header_recipients AS "headerRecipients",
  e.content_id AS "contentId",
  content.from_name AS "fromNameTemplate",
  content.list_id AS "listId",
  content.topic_id AS "topicId",
  content.html,
  content.text,
  content.reply_to AS "replyTo",
  content.headers,
  content.template_id AS "templateId",
  content.template_version AS "templateVersion",
  content.liquid,
  content.data,
  content.snippets AS "snippetVersions",
  content.track_opens AS "trackOpens",
  content.track_clicks AS "trackClicks",
  content.attachments,
  content.id IS NULL AS "contentIsMissing",
  c.trace,
  c.variables
FROM
  claimed c
  JOIN emails e ON e.project_id = c.project_id
  AND e.id = c.email_id
  LEFT JOIN email_contents content ON content.project_id = c.project_id
  AND content.id = e.content_id;
