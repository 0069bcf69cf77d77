/** One transaction on one connection of a pool: committed when `fn` returns, gone when it throws. */
import type { Pool, PoolClient } from 'pg'

/** Throws what `fn` throws. When the commit itself fails, it is unknown whether it happened. */
export async function inTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query('begin')
    const result = await fn(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.release(isBroken)
  }
}
