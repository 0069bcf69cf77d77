/** Waiting for a database that is still starting, as it does after everything was killed at once. */
import { setTimeout as sleep } from 'node:timers/promises'

const tries = 60
const pauseMs = 500

/** Not there yet: refused or reset connections, and a server that is starting up or shutting down. */
const away = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', '53300'])

/** As the driver says that a connection was not made in time; it has no code for it. */
const unanswered = /timeout exceeded when trying to connect|connection timeout/i

/** Runs `connect` until the database is there, for half a minute; then throws what it threw. */
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
