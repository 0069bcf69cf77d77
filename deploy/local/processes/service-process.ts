/** Starts a process of services: its flags, its environment, and the channel for its start message. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProgramFiles } from '../bundle/programs.ts'
import type { ProcessPlan } from '../layout.ts'
import { environmentOfAll } from '../own-connections.ts'
import type { Addresses } from '../servers/embedded.ts'
import { type LaunchSettings, urlVariables } from '../settings.ts'
import type { ChildSpec } from './supervisor.ts'

/** Returns the environment of services: that of the launcher, with the servers, files and port of this instance. */
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

/**
 * Returns the URL of a process's metrics, if METRICS_PORT enables them. The ports of the processes follow each other
 * from METRICS_PORT on.
 */
export function metricsOf(env: NodeJS.ProcessEnv, index: number): { metrics?: string } {
  const { METRICS_PORT, METRICS_HOST } = env
  return METRICS_PORT
    ? { metrics: `http://${METRICS_HOST || '127.0.0.1'}:${Number(METRICS_PORT) + index}/metrics` }
    : {}
}

/** Message to a process of services when the sample site has closed. */
export const sampleIsOver = 'sample is over'

/** Returns the service name in traces and metrics. Copies of a service are instances of one service. */
const serviceNameOf = ({ name, services: [service = name, ...others] }: ProcessPlan) =>
  others.length === 0 ? service : name

const heapSize = /--max[-_]old[-_]space[-_]size/

/**
 * Returns the command and the environment of a process.
 * @param index position of the process among all of the instance, from 0
 */
export function serviceProcess(
  plan: ProcessPlan,
  index: number,
  { host, registerMetrics, register }: ProgramFiles,
  env: () => NodeJS.ProcessEnv,
): ChildSpec {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: isSent, METRICS_PORT, DRAIN_MS, NODE_OPTIONS = '' } = env()
  // A flag of the command line would override the heap that an operator sets.
  const flags = heapSize.test(NODE_OPTIONS) ? plan.flags.filter(flag => !heapSize.test(flag)) : plan.flags
  // Only gateways drain, because load balancers choose between them.
  const drainMs = plan.services.includes('gateway') ? Number(DRAIN_MS || 0) : 0
  const preloaded = [
    ...(isSent || METRICS_PORT ? [registerMetrics] : []),
    ...(isSent ? [register] : []),
  ].flatMap(file => ['--import', pathToFileURL(file).href])
  return {
    name: plan.name,
    command: [process.execPath, ...flags, ...preloaded, host, ...plan.services],
    env: () => ({
      ...environmentOfAll(plan.services, env()),
      INSTANCE: plan.name,
      OTEL_SERVICE_NAME: env().OTEL_SERVICE_NAME || serviceNameOf(plan),
      DRAIN_MS: String(drainMs),
      ...(plan.sharesPort && { PORT_SHARED: 'true' }),
      ...(METRICS_PORT && { METRICS_PORT: String(Number(METRICS_PORT) + index) }),
    }),
    stopSignal: 'SIGTERM',
    graceMs: 10_000 + drainMs,
    hasChannel: true,
  }
}
