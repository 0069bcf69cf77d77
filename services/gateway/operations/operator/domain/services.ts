/** Judges services and their processes by their latest heartbeats, for the operator. */
import { heartbeatMaxAgeSeconds, services } from '@tidemark/contracts/heartbeat'
import type { ServiceState } from '@tidemark/contracts/http/operator'

/** The latest heartbeat of a process, and its age. */
type Beat = {
  heartbeat: { instance: string; status: 'pass' | 'fail'; cause?: string | undefined }
  ageSeconds: number
}

/** Seconds after which a silent process is left out: it was stopped, and another took its place. */
const forgottenSeconds = 300
const maxInstances = 50

/** Returns the state of every service. `beats` has the heartbeats of a service, the youngest first. */
export const serviceStates = (beats: ReadonlyMap<string, readonly Beat[]>): ServiceState[] =>
  services.map(service => {
    const instances = (beats.get(service) ?? [])
      .filter(({ ageSeconds }) => ageSeconds < forgottenSeconds)
      .slice(0, maxInstances)
      .map(stateOf)
      .sort((one, other) => (one.instance < other.instance ? -1 : 1))
    return { service, status: worstOf(instances), instances }
  })

type Instance = ServiceState['instances'][number]

function stateOf({ heartbeat, ageSeconds }: Beat): Instance {
  const { instance, status, cause } = heartbeat
  const shownStatus = status === 'pass' && cause !== undefined ? 'warn' : status
  return {
    instance,
    status: ageSeconds > heartbeatMaxAgeSeconds ? 'silent' : shownStatus,
    cause: cause ?? null,
    age_seconds: Math.round(ageSeconds),
  }
}

/** Returns the worst status of the processes that are not silent; `missing` if every process is silent. */
function worstOf(instances: readonly Instance[]): ServiceState['status'] {
  const found = new Set(instances.map(({ status }) => status))
  return (['fail', 'warn', 'pass'] as const).find(status => found.has(status)) ?? 'missing'
}
