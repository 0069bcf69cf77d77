/** Another gateway of a running system, in the process of the test. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '../../services/gateway/service.ts'
import type { System } from './system.ts'

/** Starts the gateway and resolves to its address. The gateway ends with the test. */
export async function secondGateway(
  t: { teardown(fn: () => Promise<void>): void },
  system: System,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { postgres, nats, redis } = await system.runFile()
  const stop = new AbortController()
  const gateway = await startService(
    {
      NATS_URL: nats.url,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SECRETS_KEY: (await readFile(join(system.dir, 'secrets.key'), 'utf8')).trim(),
      INSTANCE: 'another-gateway',
      PORT: '0',
      ...env,
    },
    stop.signal,
  )
  t.teardown(async () => {
    stop.abort()
    await gateway[Symbol.asyncDispose]()
  })
  return gateway.url
}
