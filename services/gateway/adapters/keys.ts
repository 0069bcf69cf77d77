/**
 * Finds who a key belongs to: remembered for a moment, read from the read model, and at last asked of
 * auth-billing, which knows a key before any view of it does.
 */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { FindKeyAnswer, KeyView, FindKey as Question } from '@tidemark/contracts/ask/accounts'
import type { OwnProxy } from '@tidemark/contracts/run-settings'
import { asks } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { FindKey } from '../plugins/authentication.ts'

type Remembered = { key: Promise<KeyView | null>; until: number }

const rememberMs = 3_000
/** Shorter, for whoever guesses must not make us forget those who know. */
const rememberUnknownMs = 1_000
const mostRemembered = 10_000
const askMs = 2_000

/**
 * Each prefix is looked up once at a time, however many ask for it. `forget` is for whoever hears that keys have
 * changed.
 */
export function rememberKeys(find: FindKey, now: () => number = () => performance.now()) {
  const remembered = new Map<string, Remembered>()
  const findKey: FindKey = prefix => {
    const known = remembered.get(prefix)
    if (known !== undefined && known.until > now()) return known.key
    const entry = { key: find(prefix), until: now() + rememberMs }
    remembered.delete(prefix)
    if (remembered.size >= mostRemembered) forgetOldest(remembered)
    remembered.set(prefix, entry)
    entry.key.then(
      key => {
        if (key === null) entry.until = Math.min(entry.until, now() + rememberUnknownMs)
      },
      () => remembered.delete(prefix),
    )
    return entry.key
  }
  return { findKey, forget: () => remembered.clear() }
}

export const lookUpKey =
  (pool: Database['pool'], bus: Bus): FindKey =>
  async prefix =>
    (await readKey(pool, prefix)) ?? (await askKey(bus, prefix))

type Row = {
  prefix: string
  hash: string
  project_id: number
  tier: KeyView['tier']
  unlimited: boolean
  expires_at: Date | null
  revoked_at: Date | null
  proxy: OwnProxy | null
}

const oneKey = `select key.prefix, key.hash, key.project_id, project.tier, project.unlimited, key.expires_at, key.revoked_at,
    project.proxy
  from read.key join read.project on project.id = key.project_id where key.prefix = $1`

async function readKey(pool: Database['pool'], prefix: string): Promise<KeyView | null> {
  const { rows } = await pool.query<Row>({ name: 'key', text: oneKey, values: [prefix] })
  return rows[0] ? viewOf(rows[0]) : null
}

async function askKey(bus: Bus, prefix: string): Promise<KeyView | null> {
  const { key } = await ask<Question, FindKeyAnswer>(bus, asks.findKey, { prefix }, { timeoutMs: askMs })
  return key
}

const viewOf = ({
  prefix,
  hash,
  project_id,
  tier,
  unlimited,
  expires_at,
  revoked_at,
  proxy,
}: Row): KeyView => ({
  prefix,
  hash,
  projectId: project_id,
  tier,
  unlimited,
  expiresAt: expires_at?.toISOString() ?? null,
  revokedAt: revoked_at?.toISOString() ?? null,
  ...(proxy && { proxy }),
})

function forgetOldest(remembered: Map<string, Remembered>): void {
  const [oldest] = remembered.keys()
  if (oldest !== undefined) remembered.delete(oldest)
}
