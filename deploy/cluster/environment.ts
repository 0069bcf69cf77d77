/** Computes the environment variables and the stop timeout of each role. */
import { egressPort, innerPort, type Role } from './roles.ts'

/** Share of a process's memory limit that its heap may use. Code, buffers and threads need the rest. */
const heapShare = 0.6

const minGraceSeconds = 30
/** Seconds to finish the work in progress after draining. */
const settlingSeconds = 15

/** Returns the seconds from SIGTERM to SIGKILL: for the open requests, and to finish the rest. */
export const graceSecondsOf = ({ env }: Role): number =>
  Math.max(minGraceSeconds, Number(env.DRAIN_MS ?? 0) / 1000 + settlingSeconds)

/** Returns the variables of a role, without its secrets and the shared settings. */
export const environmentOf = ({ env, name, runs, memory }: Role): Record<string, string> => ({
  ...env,
  ...(runs === 'egress' && { EGRESS_HOST: '0.0.0.0', EGRESS_PORT: String(egressPort) }),
  OTEL_SERVICE_NAME: name,
  METRICS_PORT: String(innerPort),
  METRICS_HOST: '0.0.0.0',
  NODE_OPTIONS: `--max-old-space-size=${Math.round(memory[1] * heapShare)}`,
})
