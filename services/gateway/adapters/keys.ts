/**
 * Finds who a key belongs to: read from the read model, else asked of auth-billing, which knows a key before any view
 * of it does.
 */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import {
  type FindKeyAnswer,
  type KeyRow,
  type KeyView,
  keyViewOf,
  type FindKey as Question,
} from '@tidemark/contracts/ask/accounts'
import { asks } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { FindKey } from '../plugins/authentication.ts'

const askMs = 2_000

export const lookUpKey =
  (pool: Database['pool'], bus: Bus): FindKey =>
  async prefix =>
    (await readKey(pool, prefix)) ?? (await askKey(bus, prefix))

const oneKey = `select key.prefix, key.hash, key.project_id, project.tier, project.unlimited, key.expires_at, key.revoked_at,
    project.proxy
  from read.key join read.project on project.id = key.project_id where key.prefix = $1`

async function readKey(pool: Database['pool'], prefix: string): Promise<KeyView | null> {
  const { rows } = await pool.query<KeyRow>({ name: 'key', text: oneKey, values: [prefix] })
  return rows[0] ? keyViewOf(rows[0]) : null
}

async function askKey(bus: Bus, prefix: string): Promise<KeyView | null> {
  const { key } = await ask<Question, FindKeyAnswer>(bus, asks.findKey, { prefix }, { timeoutMs: askMs })
  return key
}
