/**
 * Collects the operator's overview from the services that own the data. Each has one second. A part that lacks data
 * states it, and the other parts are complete.
 */
import type { Bus } from '@tidemark/bus/connection'
import type { ReceivedHeartbeat } from '@tidemark/bus/heartbeat'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import { sleepAwake } from '@tidemark/bus/stall'
import type { OperatorOverview } from '@tidemark/contracts/http/operator'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import type { RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import { withoutSecrets } from '@tidemark/telemetry/redact'
import { measure, type Stream } from '../adapters/measure-streams.ts'
import { deadLetters, queueStates, streamStates } from './adapters/bus-state.ts'
import { costStates, projectStates, sumsOf } from './domain/projects.ts'
import { serviceStates } from './domain/services.ts'

export type OverviewPorts = {
  bus: Bus
  /** Returns the latest heartbeat of each instance by service, the youngest first. */
  instances: () => Map<string, ReceivedHeartbeat[]>
  /** Address of the user interface for traces, or empty. */
  tracesUrl: string
  now: () => number
  report: (error: unknown) => void
}

const limitMs = 1_000
/** Milliseconds for which concurrent readers share an overview. */
const sharedMs = 1_000
const limit = operatorRpc.maxListed

/** Returns a function that returns the overview. It never rejects because of a service. */
export function openOverview(ports: OverviewPorts): () => Promise<OperatorOverview> {
  let last: { at: number; overview: Promise<OperatorOverview> } | null = null
  return () => {
    const at = performance.now()
    if (last === null || at - last.at > sharedMs) last = { at, overview: collect(ports) }
    return last.overview
  }
}

async function collect(ports: OverviewPorts): Promise<OperatorOverview> {
  const at = new Date(ports.now()).toISOString()
  const day = at.slice(0, 10)
  const ofService = <Procedure extends Rpc>(rpc: Procedure, request: RequestOf<Procedure>) =>
    within(ports, () => call(ports.bus, rpc, request, { timeoutMs: limitMs }))
  const [ofBus, projections, hosts, ofProjects] = await Promise.all([
    readBus(ports),
    readProjections(ofService),
    ofService(operatorRpc.throttledHosts, { limit }),
    readProjects(ofService, day),
  ])
  return {
    generated_at: at,
    day,
    traces_url: ports.tracesUrl || null,
    services: part([], safeServices(ports)),
    ...ofBus,
    projections,
    hosts: {
      total: hosts?.total ?? null,
      ...part(
        hosts === null ? ['fetcher'] : [],
        (hosts?.hosts ?? []).map(({ origin, pausedUntil, pauses }) => ({
          ...{ origin, paused_until: pausedUntil, pauses },
          is_paused: pausedUntil > at,
        })),
      ),
    },
    ...ofProjects,
  }
}

type Call = <Procedure extends Rpc>(
  rpc: Procedure,
  request: RequestOf<Procedure>,
) => Promise<ResponseOf<Procedure> | null>

const part = <Item>(missing: string[], items: Item[]) => ({
  available: missing.length === 0,
  missing,
  items,
})

/** Returns the result of the work; null: it failed or took longer than a second. */
async function within<Result>(
  { report }: Pick<OverviewPorts, 'report'>,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const over = new AbortController()
  const late = sleepAwake(limitMs, over.signal).then(() => null)
  late.catch(() => {})
  const done = work().catch(error => {
    // The heartbeats already report a service that is away.
    if (!(error instanceof Refusal)) report(error)
    return null
  })
  return Promise.race([done, late]).finally(() => over.abort())
}

/** Causes of faults may repeat texts of other programs. */
const safeServices = ({ instances }: OverviewPorts): OperatorOverview['services']['items'] =>
  serviceStates(instances()).map(service => ({
    ...service,
    instances: service.instances.map(({ cause, ...instance }) => ({
      ...instance,
      cause: cause && withoutSecrets(cause),
    })),
  }))

async function readBus(ports: OverviewPorts) {
  const { bus } = ports
  const measured = await within(ports, () => measure(bus))
  const of = <Result>(read: (bus: Bus, measured: readonly Stream[]) => Promise<Result>) =>
    measured && within(ports, () => read(bus, measured))
  const [queues, letters] = await Promise.all([of(queueStates), of(deadLetters)])
  const missing = (found: unknown) => (found === null ? ['nats'] : [])
  return {
    streams: part(missing(measured), streamStates(measured ?? [])),
    queues: part(missing(queues), queues ?? []),
    dead_letters: { total: letters?.total ?? null, ...part(missing(letters), letters?.items ?? []) },
  }
}

async function readProjections(request: Call): Promise<OperatorOverview['projections']> {
  const read = await Promise.all(
    Object.entries(operatorRpc.lags).map(async ([service, rpc]) => ({
      service,
      answer: await request(rpc, null),
    })),
  )
  const items = read.flatMap(({ service, answer }) => (answer?.lags ?? []).map(lag => ({ service, ...lag })))
  return part(
    read.flatMap(({ service, answer }) => (answer === null ? [service] : [])),
    items.slice(0, limit),
  )
}

/** Reads the units first, because they decide which projects are listed. */
async function readProjects(request: Call, day: string) {
  const spending = await request(operatorRpc.readSpending, { day, limit })
  const idsOf = (rows: { projectId: number }[] = []) => rows.map(({ projectId }) => projectId)
  const wanted = { day, limit, projectIds: idsOf(spending?.byUnits), names: idsOf(spending?.byCost) }
  const activity = await request(operatorRpc.readActivity, wanted)
  const withoutUnits = spending === null ? ['usage-ledger'] : []
  const withoutRuns = activity === null ? ['projector'] : []
  return {
    projects: {
      total: activity?.total ?? null,
      ...part([...withoutUnits, ...withoutRuns], projectStates(activity, spending, limit)),
    },
    costs: { ...sumsOf(spending), ...part(withoutUnits, costStates(activity, spending)) },
  }
}
