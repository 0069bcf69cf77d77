/** The environment of each role. */
import { egressPort, innerPort, type Role } from './roles.ts'

/** Memory outside of the heap: code, buffers, threads. */
const heapShare = 0.6

const minGraceSeconds = 30
/** Time to settle the work in progress, and to end. */
const settlingSeconds = 15

/** Time from SIGTERM to SIGKILL: to serve the open requests, and to settle the rest. */
export const graceSecondsOf = ({ env }: Role): number =>
  Math.max(minGraceSeconds, Number(env.DRAIN_MS ?? 0) / 1000 + settlingSeconds)

/** In addition to the secrets and the shared settings. */
export const environmentOf = ({ env, name, runs, memory }: Role): Record<string, string> => ({
  ...env,
  ...(runs === 'egress' && { EGRESS_HOST: '0.0.0.0', EGRESS_PORT: String(egressPort) }),
  OTEL_SERVICE_NAME: name,
  METRICS_PORT: String(innerPort),
  METRICS_HOST: '0.0.0.0',
  NODE_OPTIONS: `--max-old-space-size=${Math.round(memory[1] * heapShare)}`,
})
