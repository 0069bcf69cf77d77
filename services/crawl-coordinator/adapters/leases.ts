/**
 * Leases shards of runs to instances, in Postgres. An instance that restarts under its name takes its shards at once.
 * Those of a dead instance are free when the lease ends. Leases only avoid wasted work: the check of the expected
 * sequence at each append keeps a run's stream consistent.
 */
import { shards } from '@tidemark/contracts/subjects'
import type { Pool } from 'pg'

/**
 * Seconds of a lease. Instances renew every three seconds, so they may miss two renewals, and take over the shards of
 * a killed instance within thirteen seconds.
 */
const leaseSeconds = 10

/**
 * The order in which shards are taken and kept. Runs that start one after the other have consecutive ids and shards.
 * With reversed bits, any prefix of the order is spread evenly over them.
 */
const order: readonly number[] = shards.map((_, shard) => shard).sort((a, b) => reversed(a) - reversed(b))

function reversed(shard: number): number {
  const bits = Math.log2(shards.length)
  return Number.parseInt([...shard.toString(2).padStart(bits, '0')].reverse().join(''), 2)
}

export type Leases = {
  /** Renews its shards, takes free ones up to a fair share, and returns all shards that it holds. */
  renew(): Promise<Set<number>>
  /** Releases all shards, for others to take at once. */
  release(): Promise<void>
}

export function leases(pool: Pool, owner: string): Leases {
  return {
    async renew() {
      await renewInstance(pool, owner)
      const held = await renewHeld(pool, owner)
      const share = await fairShare(pool)
      if (held.length > share) {
        await releaseHeld(pool, owner, held.slice(share))
        return new Set(held.slice(0, share))
      }
      const taken = held.length < share ? await takeFree(pool, owner, share - held.length) : []
      return new Set([...held, ...taken])
    },
    async release() {
      await releaseHeld(pool, owner, await renewHeld(pool, owner))
      await pool.query(`delete from coordinator.instance where name = $1`, [owner])
    },
  }
}

async function renewInstance(pool: Pool, owner: string): Promise<void> {
  await pool.query(
    `insert into coordinator.instance (name, until) values ($1, now() + make_interval(secs => $2))
     on conflict (name) do update set until = excluded.until`,
    [owner, leaseSeconds],
  )
}

async function renewHeld(pool: Pool, owner: string): Promise<number[]> {
  const { rows } = await pool.query(
    `update coordinator.shard_lease set until = now() + make_interval(secs => $2) where owner = $1 returning shard`,
    [owner, leaseSeconds],
  )
  const held = new Set(rows.map(row => Number(row.shard)))
  return order.filter(shard => held.has(shard))
}

async function fairShare(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`
    select ceil((select count(*) from coordinator.shard_lease)::numeric
      / greatest(1, (select count(*) from coordinator.instance where until > now())))::int as share`)
  return rows[0].share
}

/**
 * Takes free shards. The subquery is an array, because a join may run it again for each row, and then takes more than
 * `max`.
 */
async function takeFree(pool: Pool, owner: string, max: number): Promise<number[]> {
  const { rows } = await pool.query(
    `update coordinator.shard_lease set owner = $1, epoch = epoch + 1, until = now() + make_interval(secs => $2)
     where shard = any(array(select shard from coordinator.shard_lease where until < now()
                             order by array_position($4::int[], shard::int) limit $3 for update skip locked))
     returning shard`,
    [owner, leaseSeconds, max, order],
  )
  return rows.map(row => Number(row.shard))
}

async function releaseHeld(pool: Pool, owner: string, shards: number[]): Promise<void> {
  await pool.query(
    `update coordinator.shard_lease set owner = null, until = '-infinity' where owner = $1 and shard = any($2)`,
    [owner, shards],
  )
}
