/**
 * Finds the instance for an administrator's commands: the servers that the environment names, if each service is a
 * deployment of its own, or else the instance on this machine, through its `run.json`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { isAlive } from '../local/processes/is-alive.ts'
import { readRunFile } from '../local/run-file.ts'
import { AdminError } from './admin-error.ts'

export type Servers = { natsUrl: string; databaseUrl: string }

const connectLimitMs = 5_000

/** Returns the servers that the environment names; null unless it names both. */
export function namedServers(): Servers | null {
  const { NATS_URL, DATABASE_URL } = process.env
  return NATS_URL && DATABASE_URL ? { natsUrl: NATS_URL, databaseUrl: DATABASE_URL } : null
}

/**
 * Returns the servers of the instance. Throws AdminError if the environment names none and no instance runs in this
 * folder.
 */
export function serversOf(dir: string): Servers {
  const named = namedServers()
  if (named !== null) return named
  const run = readRunFile(dir)
  if (run === null || !isAlive(run.pid)) {
    throw new AdminError(
      `No Tidemark runs in ${dir}. Start one with "npm start", name its folder in TIDEMARK_DIR, or its servers in NATS_URL and DATABASE_URL.`,
    )
  }
  return { natsUrl: run.nats.url, databaseUrl: run.postgres?.url ?? '' }
}

/** Passes a connection to the bus to `use`, and closes it. Throws AdminError like `reachInstance`, and errors of `use`. */
export async function withBus<T>(dir: string, use: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await reachInstance(dir)
  try {
    return await use(bus)
  } finally {
    await bus.close()
  }
}

/** Connects to the bus of the instance. Throws AdminError if it does not respond within 5 s. */
export async function reachInstance(dir: string): Promise<Bus> {
  const { natsUrl } = serversOf(dir)
  const tooLate = sleep(connectLimitMs, undefined, { ref: false }).then(() => {
    throw new AdminError(
      namedServers() === null
        ? `The bus of the instance in ${dir} does not respond. Its launcher restarts it. Try again shortly.`
        : 'The server in NATS_URL does not respond.',
    )
  })
  return Promise.race([openBus({ url: natsUrl, name: 'admin' }), tooLate])
}
