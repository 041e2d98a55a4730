// When a host whose lease is over counts as gone, as SQL. Only the database's clock decides.

/**
 * An agent has heard hosts without a break for long enough that every live host would have renewed its lease. After an
 * outage of PostgreSQL, NATS or all agents this is false for a while: nothing is known of the hosts then.
 */
export const areHostsHeard = 'exists (select from agents a where a.hears_from <= now() and a.hears_until > now())';

/** The host has its lease, or could not have renewed it. `host`: the alias of its row, which must be of the same boot. */
export const mayLive = (host: string) => `(${host}.lease_until > now() or not ${areHostsHeard})`;

/** The browser `b` is at a host of which the same holds. Looked up for each browser by the host's key. */
export const mayHostLive = `(select h.boot_id from hosts h where h.id = b.host_id and ${mayLive('h')}) = b.boot_id`;
