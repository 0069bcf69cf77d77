/**
 * One run of chaos: a system, sites, a crawl of each site, faults at random moments of it, and the verdict. The history
 * is written to `history.jsonl` in the system's folder, beside its logs.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answers, answersIn } from './answers.ts'
import { type Api, apiOf } from './api.ts'
import { callAllTheTime } from './caller.ts'
import { fetchesExpected, maxPause, redeliveries, refetches, type Violation, violations } from './checker.ts'
import { startCluster } from './cluster.ts'
import { createProject, readResults, startCrawls, untilEnded } from './crawls.ts'
import { type FaultCounts, planFaults, strike } from './faults.ts'
import { only, type Recorder, startRecorder } from './history.ts'
import { politeness } from './politeness.ts'
import { dice } from './random.ts'
import { startReceiver } from './receiver.ts'
import { watchRedeliveries } from './redeliveries.ts'
import { startRepeater } from './repeater.ts'
import type { Site } from './site.ts'
import { type ChaosSystem, startChaosSystem } from './system.ts'
import { startWeb } from './web.ts'

export type ChaosOptions = {
  site: Site
  faults: FaultCounts
  delayMs: number
  /**
   * The milliseconds by which a request may reach a host too early, because the latency varies; more on a slow machine,
   * where the sender and the host wait for a processor.
   */
  toleranceMs: number
  /** The number of fetchers that share the hosts. */
  fetchers: number
  /** The share of work messages that is published twice, 0 to 1. */
  repeated: number
  webhooks: boolean
  /** Whether NATS is three servers and a client calls the API throughout. */
  cluster?: boolean
  /** Crawls without progress for this long count as dead. */
  patienceMs: number
  report: (line: string) => void
}

export type ChaosResult = {
  violations: Violation[]
  kills: number
  refetched: number
  redelivered: number
  seconds: number
  /** The longest time without a request to the sites and without the end of a run. */
  maxPauseMs: number
  /** Milliseconds from the last fault to the end of the last run. */
  mendedMs: number
  answers: Answers
  /** The shortest time between two requests to one host, except right after a fault. */
  minGapMs: number
  dir: string
  removeFiles(): Promise<void>
}

/**
 * Kills of services alone cause at most this share of the pages to be fetched again. For other faults there is no
 * limit.
 */
const refetchedByKills = 0.04
/** Work of a dead process is redelivered after 20 s. */
const standstillMs = 45_000
const betweenLooksMs = 20

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { webhooks, report } = options
  let { faults } = options
  report('Starting a system …')
  const cluster = options.cluster ? await startCluster(report, faults.cuts > 0) : null
  if (cluster !== null && faults.cuts > 0 && 'missing' in cluster.wire) {
    report(`Nothing is cut off: ${cluster.wire.missing}`)
    faults = { ...faults, cuts: 0 }
  }
  const system = await startChaosSystem({ REPLICAS: `fetcher=${options.fetchers}` }, cluster).catch(
    async error => {
      await cluster?.stop()
      throw error
    },
  )
  const recorder = startRecorder(path.join(system.dir, 'history.jsonl'))
  try {
    await crawlUnderFaults({ ...options, faults }, system, recorder)
    report('Checking the invariants …')
    await verify(system, recorder)
  } finally {
    await system.stop()
    recorder.close()
  }
  const { history } = recorder
  const others = Object.values({ ...faults, kills: 0 }).reduce((sum, count) => sum + count, 0)
  const onlyKills = options.repeated === 0 && faults.kills > 0 && others === 0
  const found = violations(history, {
    kills: Object.values(faults).reduce((sum, count) => sum + count, 0),
    refetched: onlyKills ? refetchedByKills : Number.POSITIVE_INFINITY,
    pauseMs: standstillMs,
    webhooks,
    redelivered: faults.nats >= 5 || faults.kills >= 12,
    repeated: options.repeated > 0,
    pauseOfHostMs: options.delayMs - options.toleranceMs,
    answered: cluster !== null && faults.kills === 0,
  })
  return { violations: found, ...measured(recorder), dir: system.dir, removeFiles: system.removeFiles }
}

async function crawlUnderFaults(
  options: ChaosOptions,
  system: ChaosSystem,
  recorder: Recorder,
): Promise<void> {
  const { site, delayMs, webhooks, patienceMs } = options
  const { record } = recorder
  const api = apiOf(system.base, recorder)
  const web = await startWeb(site, (place, at, lateMs) => record({ type: 'hit', ...place, lateMs }, at))
  const receiver = webhooks
    ? await startReceiver(delivery => record({ type: 'delivery', ...delivery }))
    : null
  const natsNow = () => system.runFile()?.nats.url
  const redelivered = watchRedeliveries(natsNow)
  const repeater = startRepeater(natsNow, { share: options.repeated, chance: dice(site.seed + 2) })
  const over = new AbortController()
  try {
    record({ type: 'site', site, origins: web.origins })
    const { origins } = web
    const crawls = await startCrawls({
      api,
      system,
      recorder,
      origins,
      delayMs,
      webhookUrl: receiver?.url ?? null,
    })
    const calling = options.cluster ? callInto(system, api, `${origins[0]}/`, over.signal) : Promise.resolve()
    calling.catch(() => over.abort())
    const striking = strikeAsPlanned(options, system, recorder, over.signal)
    striking.catch(() => over.abort())
    await untilEnded(api, crawls, recorder, { patienceMs, signal: over.signal })
    over.abort()
    await Promise.all([striking, calling])
    await readResults(api, crawls, recorder)
    if (receiver !== null) await allDelivered(recorder, crawls.length)
  } finally {
    over.abort()
    record({ type: 'repeated', messages: await repeater.close() })
    record({ type: 'redelivered', messages: await redelivered.close() })
    await Promise.all([web.close(), receiver?.close()])
  }
}

async function callInto(system: ChaosSystem, api: Api, url: string, over: AbortSignal): Promise<void> {
  await callAllTheTime(api, await createProject(system, 'chaos-calls'), url, over)
}

async function strikeAsPlanned(
  { faults, site, report }: ChaosOptions,
  system: ChaosSystem,
  { history, record }: Recorder,
  over: AbortSignal,
): Promise<void> {
  const chance = dice(site.seed + 1)
  const expected = fetchesExpected(history)
  const seen = new Set<string>()
  let read = 0
  const progress = () => {
    for (; read < history.length; read++) {
      const entry = history[read]
      if (entry?.type === 'hit') seen.add(`${entry.host}${entry.path}`)
    }
    return seen.size / expected
  }
  for (const { fault, at } of planFaults(faults, site.seed)) {
    while (progress() < at && !over.aborted) await sleep(betweenLooksMs)
    const earlier = only(history, 'kill').map(({ target }) => target)
    const hit = await strike(fault, system, { chance: chance(), earlier }, over)
    if (hit === null) return
    const { at: struckAt = Date.now(), ...victim } = hit
    record({ type: 'kill', ...victim }, struckAt)
    report(`${(progress() * 100).toFixed(0).padStart(3)} %  ${hit.target} ${hit.pids.join(' ')}`)
    if (fault === 'all') await system.startAgain()
  }
}

/** Waits up to a minute for the webhooks: they arrive some time after the ends of their runs. */
async function allDelivered({ history }: Recorder, runs: number): Promise<void> {
  const limit = Date.now() + 60_000
  const delivered = () => new Set(only(history, 'delivery').map(({ run }) => run)).size
  while (delivered() < runs && Date.now() < limit) await sleep(100)
  await sleep(2_000) // for duplicates
}

async function verify(system: ChaosSystem, { record }: Recorder): Promise<void> {
  const { code, stdout, stderr } = await system.admin('verify')
  record({ type: 'verified', code, output: `${stdout}${stderr}`.slice(0, 4000) })
}

function measured({ history }: Recorder) {
  const ends = only(history, 'ended').map(({ at }) => at)
  const kills = only(history, 'kill')
  const began = only(history, 'accepted')[0]?.at ?? 0
  const lastEnd = Math.max(began, ...ends)
  return {
    kills: kills.length,
    refetched: refetches(history).ratio,
    redelivered: redeliveries(history),
    seconds: (lastEnd - began) / 1000,
    maxPauseMs: maxPause(history),
    minGapMs: Math.round(politeness(history).shortestMs),
    answers: answersIn(history),
    mendedMs: lastEnd - (kills.at(-1)?.at ?? lastEnd),
  }
}
