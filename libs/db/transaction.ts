/**
 * Runs one transaction on one connection of a pool: it is committed when `fn` returns, rolled back when `fn` throws.
 */
import type { Pool, PoolClient } from 'pg'

/** Returns the result of `fn`, or throws its error. If the commit itself fails, it is unknown whether it happened. */
export async function inTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  // The pool does not handle errors while a client is out: a connection that breaks between two queries would end the
  // process.
  const notice = () => {
    isBroken = true
  }
  client.on('error', notice)
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
    client.off('error', notice)
    client.release(isBroken)
  }
}
