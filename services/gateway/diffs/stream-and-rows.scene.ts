/** A bus and a read model without a gateway, for the work that follows the ends of runs. */
import { columnTypes } from '@tidemark/db/types'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { surroundings } from '@tidemark/testing/surroundings'
import pg from 'pg'
import type { Test } from 'tap'
import { database } from '../database.ts'

/** `stop` aborts at the end of the test at the latest. */
export async function streamAndRows(t: Test) {
  const { env, bus, stack } = await surroundings(t, { database, declare: declareStreams })
  const rows = new pg.Pool({ connectionString: env.DATABASE_URL, max: 2, types: columnTypes() })
  const pool = stack.adopt(rows, pool => pool.end())
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  return { bus, pool, stop }
}
