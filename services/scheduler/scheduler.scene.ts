/** Schedulers among real servers, with a stand-in for the coordinator, and a clock that the test sets. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import type { MonitorCommit, MonitorEvent } from '@tidemark/contracts/monitor'
import type { ChangeMonitor, CreateMonitor, RunMonitor } from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type { IsRunActive, IsRunActiveAnswer, RunStartedAnswer, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import type { Test } from 'tap'
import { database } from './database.ts'
import { startService } from './service.ts'
import { clockTable, stepped } from './stepped.scene.ts'

/** What a monitor of these tests crawls, unless it says otherwise. */
export const settings: CreateMonitor['settings'] = {
  maxPages: 10,
  depth: 1,
  concurrency: null,
  delayMs: 250,
  subdomains: false,
  respectRobots: true,
  storeHtml: true,
}

const timeoutMs = 10_000

export async function startScene(t: Test) {
  const around = await surroundings(t, { database, declare: declareStreams })
  const { bus, pool, stack } = around
  await pool.query(`create table ${clockTable} (ms float8 not null); insert into ${clockTable} values (0)`)
  const coordinator = standIn(bus, stack)
  const store = jetStreamEventStore(bus, streams.monitors)

  const scene = {
    pool,
    coordinator,

    /** Starts a scheduler in this process, for as long as the test. */
    async start(): Promise<AsyncDisposable> {
      const service = await startService(around.env, new AbortController().signal, stepped)
      stack.use(service)
      return service
    },

    /** Starts a scheduler that can be killed, whose own clock is wrong by so many ms. */
    spawn: (skewMs = 0, env: Record<string, string> = {}): ChildProcess =>
      around.spawn(join(import.meta.dirname, 'stepped.scene.ts'), { SAY: String(skewMs), ...env }),

    setClock: (ms: number) => pool.query(`update ${clockTable} set ms = $1`, [ms]),

    create: (wanted: Partial<CreateMonitor> = {}) =>
      call(bus, monitorsRpc.createMonitor, { ...ordinary, ...wanted }, { timeoutMs }),

    findCreated: async (projectId: number, idempotencyKey: string) => {
      const question = { projectId, idempotencyKey, fingerprint: null }
      return (await call(bus, monitorsRpc.findCreated, question, { timeoutMs })).created
    },

    list: async (projectId: number) =>
      (await call(bus, monitorsRpc.listMonitors, { projectId }, { timeoutMs })).monitors,

    get: async (projectId: number, monitorId: number) =>
      (await call(bus, monitorsRpc.getMonitor, { projectId, monitorId }, { timeoutMs })).monitor,

    ticks: async (projectId: number, monitorId: number, { limit = 100, offset = 0 } = {}) => {
      const question = { projectId, monitorId, limit, offset }
      return (await call(bus, monitorsRpc.listTicks, question, { timeoutMs })).ticks
    },

    run: async (
      projectId: number,
      monitorId: number,
      idempotencyKey: string | null = null,
      more: Partial<RunMonitor> = {},
    ) => {
      const question = { projectId, monitorId, idempotencyKey, ...more }
      return (await call(bus, monitorsRpc.runMonitor, question, { timeoutMs })).started
    },

    change: async (wanted: ChangeMonitor) =>
      (await call(bus, monitorsRpc.changeMonitor, wanted, { timeoutMs })).monitor,

    remove: async (projectId: number, monitorId: number) =>
      (await call(bus, monitorsRpc.deleteMonitor, { projectId, monitorId }, { timeoutMs })).deleted,

    /** What MONITORS was told of a monitor, once it is so much; fails after a minute. */
    async told(monitorId: number, count: number): Promise<MonitorEvent[]> {
      let events: MonitorEvent[] = []
      await until(async () => {
        const { commits } = await store.load<MonitorCommit>(subjects.monitor(monitorId))
        events = commits.flatMap(({ commit }) => commit.events)
        return events.length >= count
      })
      return events
    },

    /** Returns when as many ticks of all monitors have an outcome. */
    settledInAll: (count: number) =>
      until(async () => {
        const { rows } = await pool.query(
          `select count(*)::int as count from scheduler.tick where outcome is not null`,
        )
        return rows[0].count === count
      }),

    /** Returns when as many ticks of this minute have an outcome. */
    settled: (minute: number, count: number) =>
      until(async () => {
        const { rows } = await pool.query(
          `select count(*)::int as count from scheduler.tick where minute = $1 and outcome is not null`,
          [new Date(minute)],
        )
        return rows[0].count === count
      }),
  }
  return scene
}

const ordinary: CreateMonitor = {
  projectId: 1,
  tier: 'studio',
  url: 'https://example.com/',
  schedule: '* * * * *',
  settings,
  idempotencyKey: null,
  fingerprint: 'a',
}

export type StandIn = {
  /** Every run, in the order of their ids from 1. */
  runs: StartRun[]
  /** How often a run was asked for. */
  asked: number
  active: Set<number>
  /** How runs that are not active ended; those that are not here are done. */
  ended: Map<number, 'failed' | 'cancelled' | 'deleted'>
  refusal: Refusal | null
  /** Runs are active from their start on. */
  isBusy: boolean
  /** Runs are started, and whoever asked hears that nobody is there. */
  isLosingAnswers: boolean
}

/** A coordinator as far as scheduler knows one: a run for each idempotency key, after some delay. */
function standIn(bus: Bus, stack: AsyncDisposableStack): StandIn {
  const known: StandIn = {
    runs: [],
    asked: 0,
    active: new Set(),
    ended: new Map(),
    refusal: null,
    isBusy: false,
    isLosingAnswers: false,
  }
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const at = { signal: stop.signal, report: () => {} }
  const start = async (wanted: StartRun): Promise<RunStartedAnswer> => {
    known.asked++
    await sleep(Math.random() * 10)
    if (known.refusal) throw known.refusal
    const before = known.runs.findIndex(run => run.idempotencyKey === wanted.idempotencyKey)
    const id = before >= 0 ? before + 1 : known.runs.push(wanted)
    if (known.isBusy) known.active.add(id)
    await sleep(Math.random() * 10)
    if (known.isLosingAnswers) throw refuse('unavailable')
    const enqueuedAt = '2026-01-02T03:04:05.678Z'
    return {
      id,
      status: 'queued',
      url: wanted.url,
      enqueuedAt,
      sequence: id,
      replayed: before >= 0,
      sameRequest: true,
    }
  }
  const isActive = async ({ runId }: IsRunActive): Promise<IsRunActiveAnswer> =>
    known.active.has(runId)
      ? { active: true, status: 'running' }
      : { active: false, status: known.ended.get(runId) ?? 'done' }
  void serve(bus, runsRpc.startRun, start, at)
  void serve(bus, runsRpc.isRunActive, isActive, at)
  return known
}
