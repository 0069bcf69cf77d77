/** How a process of services is started: its flags, its environment, the channel that tells it when to begin. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Addresses } from './embedded.ts'
import type { ProcessPlan } from './layout.ts'
import { environmentOfAll } from './own-connections.ts'
import { type LaunchSettings, root, urlVariables } from './settings.ts'
import type { ChildSpec } from './supervisor.ts'

/** Everything the launcher got, and where this instance's servers, files and port are. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  { dir, bin, host }: LaunchSettings,
  port: number,
  { postgres, nats, redis }: Addresses,
): NodeJS.ProcessEnv {
  return {
    ...env,
    ...urlVariables({ postgres: postgres.url, nats: nats.url, redis: redis.url }),
    HOST: host,
    PORT: String(port),
    TIDEMARK_DIR: dir,
    TIDEMARK_BIN: bin,
    BROWSER_HOME: env.BROWSER_HOME || bin,
    MAIL_OUTBOX: env.MAIL_OUTBOX || path.join(dir, 'data', 'outbox'),
    // compiled and stripped sources: a second start loads in half the time and needs 20 MB less a process
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE || path.join(bin, 'cache'),
  }
}

/** Said to a process of services when the sample site has closed. */
export const sampleIsOver = 'sample is over'

export function serviceProcess(plan: ProcessPlan, host: string, env: () => NodeJS.ProcessEnv): ChildSpec {
  const telemetry = pathToFileURL(path.join(root, 'libs/telemetry/register.ts')).href
  const isTraced = Boolean(env().OTEL_EXPORTER_OTLP_ENDPOINT)
  return {
    name: plan.name,
    command: [
      process.execPath,
      ...plan.flags,
      ...(isTraced ? ['--import', telemetry] : []),
      host,
      ...plan.services,
    ],
    env: () => ({ ...environmentOfAll(plan.services, env()), INSTANCE: plan.name }),
    stopSignal: 'SIGTERM',
    graceMs: 10_000,
    hasChannel: true,
  }
}
