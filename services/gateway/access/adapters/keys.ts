/**
 * Finds the owner of a key. Auth-billing is the first source, because only it always knows the valid keys. If it is
 * unavailable, the read model is used, which may be behind.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { linkOf, onChange } from '@tidemark/bus/link'
import { call } from '@tidemark/bus/rpc'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { type KeyRow, type KeyView, keyViewOf } from '@tidemark/contracts/rpc/accounts'
import { notifications } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'

/** Returns the key; null: it is unknown. */
export type FindKey = (prefix: string) => Promise<KeyView | null>

const requestTimeoutMs = 2_000
/** Milliseconds without a response after which auth-billing counts as unavailable. */
const patienceMs = 300

/** Returns a look-up, which throws `unavailable` if auth-billing is unavailable and the read model lacks the key. */
export const lookUpKey =
  (pool: Database['pool'], bus: Bus): FindKey =>
  async prefix => {
    const response = requestKey(bus, prefix)
    const received = await resultWithin(response, linkOf(bus.nc).up ? patienceMs : 0)
    if (received !== undefined) return received
    // If the read model is unavailable too, the late response decides.
    const known = await readKey(pool, prefix).catch(() => null)
    return known ?? (await response)
  }

/**
 * Calls back when auth-billing reports changed keys, until it is disposed. Also calls back when the connection returns,
 * because notifications are not stored and may have been missed.
 */
export function listenForKeysChanged(bus: Bus, onChanged: () => void): Disposable {
  const subscription = bus.nc.subscribe(notifications.keysChanged, { callback: onChanged })
  const forget = onChange(bus.nc, isUp => isUp && onChanged())
  return {
    [Symbol.dispose]() {
      forget()
      subscription.unsubscribe()
    },
  }
}

/** Returns the result within this time; undefined if the promise rejects or takes longer. */
async function resultWithin<Result>(work: Promise<Result>, withinMs: number): Promise<Result | undefined> {
  const over = new AbortController()
  const late = sleep(withinMs, undefined, { signal: over.signal }).catch(() => undefined)
  return Promise.race([work.catch(() => undefined), late]).finally(() => over.abort())
}

const oneKey = `select key.prefix, key.hash, key.project_id, project.tier, project.unlimited, key.expires_at, key.revoked_at,
    project.proxy, project.caps, key.caps as key_caps, project.cloud_mode, project.shares_ended
  from read.key join read.project on project.id = key.project_id where key.prefix = $1`

async function readKey(pool: Database['pool'], prefix: string): Promise<KeyView | null> {
  const { rows } = await pool.query<KeyRow>({ name: 'key', text: oneKey, values: [prefix] })
  return rows[0] ? keyViewOf(rows[0]) : null
}

async function requestKey(bus: Bus, prefix: string): Promise<KeyView | null> {
  const { key } = await call(bus, accountsRpc.findKey, { prefix }, { timeoutMs: requestTimeoutMs })
  return key
}
