/** Waits for a database that is still starting, as after a restart of all servers. */
import { setTimeout as sleep } from 'node:timers/promises'

const tries = 60
const pauseMs = 500

/** Error codes of a server that is not up yet: refused or reset connections, starting, or shutting down. */
const away = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300'])

/** Messages of the driver for a connection timeout, which has no code. */
const unanswered = /timeout exceeded when trying to connect|connection timeout/i

/** Runs `connect` until the database is up, and returns its result. Throws its last error after half a minute. */
export async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await connect()
    } catch (error) {
      if (left <= 1 || !isAway(error)) throw error
      await sleep(pauseMs)
    }
  }
}

function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (away.has(String(Reflect.get(at, 'code'))) || unanswered.test(at.message)) return true
  }
  return false
}
