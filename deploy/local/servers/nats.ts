/** Describes the embedded nats-server: JetStream on disk, with every message synced before it is acknowledged. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { authorization } from '../../nats/permissions.ts'
import { administrator } from '../../nats/users.ts'
import { endingWithParent } from '../processes/parent-death.ts'
import type { Server } from './server.ts'

export type NatsOptions = {
  program: string
  dir: string
  port: number
  env: NodeJS.ProcessEnv
  /** Passwords by user; other users are refused. */
  passwordOf: (user: string) => string
}

const defaultMaxFileStore = '24GB'

/** Returns the URL of the administrator. */
export const natsUrl = (port: number, password: string): string =>
  `nats://${administrator}:${password}@127.0.0.1:${port}`

/**
 * Writes the configuration to `dir`, where the server also stores its data, and returns the server. NATS_MAX_FILE_STORE
 * is its maximum disk space.
 */
export async function natsServer({ program, dir, port, env, passwordOf }: NatsOptions): Promise<Server> {
  await fs.mkdir(dir, { recursive: true })
  const file = path.join(dir, 'nats.conf')
  const maxFileStore = env.NATS_MAX_FILE_STORE || defaultMaxFileStore
  const text = configuration(dir, port, maxFileStore) + authorization(passwordOf, administrator)
  await fs.rm(file, { force: true })
  await fs.writeFile(file, text, { mode: 0o600 })
  const pass = passwordOf(administrator)
  return {
    name: 'nats',
    url: natsUrl(port, pass),
    port,
    command: [...endingWithParent('TERM'), program, '-c', file],
    env: () => env,
    stopSignal: 'SIGTERM',
    graceMs: 4_000,
    probe: {
      request: `CONNECT ${JSON.stringify({ verbose: false, user: administrator, pass })}\r\nPING\r\n`,
      answer: /PONG\r\n/,
    },
    readyWithinMs: 60_000,
  }
}

const configuration = (dir: string, port: number, maxFileStore: string) => `listen: 127.0.0.1:${port}
server_name: tidemark
max_payload: 8MB
max_pending: 64MB
jetstream {
  store_dir: ${JSON.stringify(dir)}
  sync_interval: always
  max_file_store: ${maxFileStore}
}
`
