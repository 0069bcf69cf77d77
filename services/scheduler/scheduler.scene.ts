/** Schedulers with real servers, a fake coordinator, and a clock that the test sets. */

import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { call, serve } from '@tidemark/bus/rpc'
import type { MonitorCommit, MonitorEvent } from '@tidemark/contracts/monitor'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import type {
  ChangeMonitor,
  CheckSchedule,
  CreateMonitor,
  RunMonitor,
} from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type {
  FindStarted,
  IsRunActive,
  IsRunActiveResponse,
  RunStartedResponse,
  StartRun,
} from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { defaultSettings } from '@tidemark/testing/run-settings'
import { surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import type { Test } from 'tap'
import { database } from './database.ts'
import { startService } from './service.ts'
import { clockTable, stepped } from './stepped.scene.ts'

/** The settings of the monitors of these tests. */
export const settings = { ...defaultSettings, maxPages: 10, depth: 1 }

const timeoutMs = 10_000

export async function startScene(t: Test) {
  const around = await surroundings(t, { database, declare: declareStreams })
  const { bus, pool, stack } = around
  await pool.query(`create table ${clockTable} (ms float8 not null); insert into ${clockTable} values (0)`)
  const coordinator = fakeCoordinator(bus, stack)
  const store = jetStreamEventStore(bus, streams.monitors)

  const scene = {
    pool,
    coordinator,

    /** Starts a scheduler in this process. It stops with the test. */
    async start(): Promise<AsyncDisposable> {
      const service = await startService(around.env, new AbortController().signal, stepped)
      stack.use(service)
      return service
    },

    /** Starts a scheduler that can be killed, whose own clock is wrong by `skewMs`. */
    spawn: (skewMs = 0, env: Record<string, string> = {}): ChildProcess =>
      around.spawn(join(import.meta.dirname, 'stepped.scene.ts'), { SAY: String(skewMs), ...env }),

    setClock: (ms: number) => pool.query(`update ${clockTable} set ms = $1`, [ms]),

    create: (wanted: Partial<CreateMonitor> = {}) =>
      call(bus, monitorsRpc.createMonitor, { ...ordinary, ...wanted }, { timeoutMs }),

    checkSchedule: (wanted: CheckSchedule) => call(bus, monitorsRpc.checkSchedule, wanted, { timeoutMs }),

    findCreated: async (projectId: number, idempotencyKey: string) => {
      const request = { projectId, idempotencyKey, fingerprint: null }
      return (await call(bus, monitorsRpc.findCreated, request, { timeoutMs })).created
    },

    list: async (projectId: number) =>
      (await call(bus, monitorsRpc.listMonitors, { projectId }, { timeoutMs })).monitors,

    get: async (projectId: number, monitorId: number) =>
      (await call(bus, monitorsRpc.getMonitor, { projectId, monitorId }, { timeoutMs })).monitor,

    ticks: async (projectId: number, monitorId: number, { limit = 100, offset = 0 } = {}) => {
      const request = { projectId, monitorId, limit, offset }
      return (await call(bus, monitorsRpc.listTicks, request, { timeoutMs })).ticks
    },

    run: async (
      projectId: number,
      monitorId: number,
      idempotencyKey: string | null = null,
      more: Partial<RunMonitor> = {},
    ) => {
      const request = { projectId, monitorId, idempotencyKey, ...more }
      return (await call(bus, monitorsRpc.runMonitor, request, { timeoutMs })).started
    },

    change: async (wanted: ChangeMonitor) =>
      (await call(bus, monitorsRpc.changeMonitor, wanted, { timeoutMs })).monitor,

    remove: async (projectId: number, monitorId: number) =>
      (await call(bus, monitorsRpc.deleteMonitor, { projectId, monitorId }, { timeoutMs })).deleted,

    keptRuns: async (projectId: number) =>
      (await call(bus, forgetRpc.keptRuns, { projectId }, { timeoutMs })).runIds,

    /** Returns the events of a monitor in MONITORS once there are at least `count`. Rejects after a minute. */
    async eventsOf(monitorId: number, count: number): Promise<MonitorEvent[]> {
      let events: MonitorEvent[] = []
      await until(async () => {
        const { commits } = await store.load<MonitorCommit>(subjects.monitor(monitorId))
        events = commits.flatMap(({ commit }) => commit.events)
        return events.length >= count
      })
      return events
    },

    /** Resolves when exactly `count` ticks of all monitors have an outcome. */
    settledInAll: (count: number) =>
      until(async () => {
        const { rows } = await pool.query(
          `select count(*)::int as count from scheduler.tick where outcome is not null`,
        )
        return rows[0].count === count
      }),

    /** Resolves when exactly `count` ticks of this minute have an outcome. */
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

export type FakeCoordinator = {
  /** Every run, in the order of their ids from 1. */
  runs: StartRun[]
  /** Number of requests to start a run. */
  startRequests: number
  active: Set<number>
  /** Status of ended runs. Runs that are neither here nor active are done. */
  ended: Map<number, 'failed' | 'cancelled' | 'deleted'>
  refusal: Refusal | null
  /** New runs are active at once. */
  isBusy: boolean
  /** Runs are started, but the client receives `unavailable`. */
  isLosingAnswers: boolean
}

/**
 * Starts a fake coordinator that serves the requests of the scheduler. It starts one run per idempotency key, after a
 * delay.
 */
function fakeCoordinator(bus: Bus, stack: AsyncDisposableStack): FakeCoordinator {
  const known: FakeCoordinator = {
    runs: [],
    startRequests: 0,
    active: new Set(),
    ended: new Map(),
    refusal: null,
    isBusy: false,
    isLosingAnswers: false,
  }
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const at = { signal: stop.signal, report: () => {} }
  const start = async (wanted: StartRun): Promise<RunStartedResponse> => {
    known.startRequests++
    await sleep(Math.random() * 10)
    if (known.refusal) throw known.refusal
    const before = known.runs.findIndex(run => run.idempotencyKey === wanted.idempotencyKey)
    const id = before >= 0 ? before + 1 : known.runs.push(wanted)
    if (known.isBusy) known.active.add(id)
    await sleep(Math.random() * 10)
    if (known.isLosingAnswers) throw refuse('unavailable')
    return startedAs(id, wanted.url, before >= 0)
  }
  const findStarted = async ({ idempotencyKey }: FindStarted) => {
    const index = known.runs.findIndex(run => run.idempotencyKey === idempotencyKey)
    const url = known.runs[index]?.url
    return { started: url === undefined ? null : startedAs(index + 1, url, true) }
  }
  const isActive = async ({ runId }: IsRunActive): Promise<IsRunActiveResponse> =>
    known.active.has(runId)
      ? { active: true, status: 'running' }
      : { active: false, status: known.ended.get(runId) ?? 'done' }
  void serve(bus, runsRpc.startRun, start, at)
  void serve(bus, runsRpc.findStarted, findStarted, at)
  void serve(bus, runsRpc.isRunActive, isActive, at)
  return known
}

const startedAs = (id: number, url: string, replayed: boolean): RunStartedResponse => ({
  ...{ id, url, replayed, sequence: id, status: 'queued', sameRequest: true },
  enqueuedAt: '2026-01-02T03:04:05.678Z',
})
