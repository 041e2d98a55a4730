// The order in which sessions get a browser while there are too few, as SQL. Only rows and the database's clock decide.

/** A session that waits for a browser has none at a host any more, whatever its row says. */
export const isAt = `b.host_id is not null and b.session_id not in (
  select w.session_id from browser_waits w where w.until > now())`;

/** Who holds how many browsers, and how many each user may hold while others wait. */
export const shares = `
standing as materialized (select w.* from browser_waits w where w.until > now()),
held as (
  select b.session_id, b.host_id, b.epoch,
    coalesce(b.owner_id, (select s.owner_id from sessions s where s.id = b.session_id)) as user_id
  from browsers b join hosts h on h.id = b.host_id and h.boot_id = b.boot_id and h.lease_until > now()
  where ${isAt}
),
users_at as materialized (select user_id, count(*) as count from held group by user_id),
fair as materialized (
  select ceil(coalesce(sum(h.capacity), 0)::numeric / greatest(1, (
    select count(*) from (select user_id from users_at union select user_id from standing) as active))) as share
  from hosts h where h.lease_until > now()
)`;

/**
 * The queue, in order: users who would hold more than their share come last, persons come before tasks, then the first
 * wait of every user before the second of any user, and the user who has waited longest first.
 */
export const queue = `${shares},
-- How many places are taken is what the host said last, or what was given to it since.
room as materialized (
  select coalesce(sum(greatest(0, h.capacity - greatest(h.session_count, coalesce(at.count, 0)))), 0) as free,
    (select share from fair) as share
  from hosts h left join (select host_id, count(*) as count from held group by host_id) as at on at.host_id = h.id
  where h.lease_until > now()
),
numbered as (
  select w.*, coalesce(u.count, 0) as held,
    row_number() over (partition by w.user_id order by w.is_person desc, w.since, w.session_id) as nth
  from standing w left join users_at u on u.user_id = w.user_id
),
queue as materialized (
  select n.*, n.held + n.nth > room.share as is_over,
    row_number() over (
      order by n.held + n.nth > room.share, n.is_person desc, n.nth, n.user_since, n.since, n.session_id) as place
  from numbered n, room
)`;

export const isTakeoverOpen = (sessionId: string) =>
  `exists (select from takeovers w where w.session_id = ${sessionId} and w.status <> 'ended')`;
