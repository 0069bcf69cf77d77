/**
 * Preloaded into each test process. When the process exits, it writes what the test cost to the file that TEST_USAGE
 * names: CPU time, servers started, and the time that the test itself spent in sleeps and polls.
 */
import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import type { Usage } from './measurement.ts'

/** Programs that count as servers, by the name of the program or of the script that Node runs. */
const servers: ReadonlyMap<string, string> = new Map([
  ['postgres', 'postgres'],
  ['initdb', 'initdb'],
  ['nats-server', 'nats'],
  ['redis-server', 'redis'],
  ['start.ts', 'system'],
  ['headless_shell', 'browser'],
  ['chrome', 'browser'],
  ['chromium', 'browser'],
])

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Frames of tests and of the code around them. Polling helpers are skipped, so that a wait counts for their caller. */
const isTestFrame = /\.(?:test|scene|behaviour)\.ts:|\/test\/|\/libs\/testing\//
const isHelperFrame = /\/(?:until|observe|system)\.ts:/
const location = /\(?((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/
const framesKept = 30
/** Linux counts in hundredths of a second, on every machine that Node supports. */
const ticksPerSecond = 100

const usageFile = process.env.TEST_USAGE
if (isMainThread && usageFile !== undefined) {
  delete process.env.TEST_USAGE // children are counted by their parent
  observe(usageFile)
}

function observe(file: string): void {
  const started: Record<string, number> = {}
  const waits = observeWaits()
  subscribe('tracing:child_process.spawn:start', message => {
    const { spawnargs = [] } = (message as { process: { spawnargs?: string[] } }).process
    const name = spawnargs.map(arg => servers.get(path.basename(arg))).find(name => name !== undefined)
    if (name !== undefined) started[name] = (started[name] ?? 0) + 1
  })
  process.once('exit', () => {
    const { user, system } = process.cpuUsage()
    const usage: Usage = {
      cpu: rounded((user + system) / 1e6),
      childCpu: childCpu(),
      servers: started,
      ...waits(),
    }
    try {
      fs.writeFileSync(file, JSON.stringify(usage))
    } catch {
      // The test may have removed the folder; that must not fail it.
    }
  })
}

/** Wraps the promise timers that tests sleep with. Returns the time in which at least one of them was pending. */
function observeWaits(): () => Pick<Usage, 'waited' | 'waits'> {
  const timers = createRequire(import.meta.url)('node:timers/promises') as {
    setTimeout: (ms?: number, value?: unknown, options?: object) => Promise<unknown>
  }
  const sleep = timers.setTimeout
  const byPlace = new Map<string, number>()
  let pending = 0
  let since = 0
  let total = 0
  timers.setTimeout = (...args) => {
    const place = testPlace()
    if (place === undefined) return sleep(...args)
    const began = performance.now()
    if (pending++ === 0) since = began
    const end = () => {
      const now = performance.now()
      if (--pending === 0) total += now - since
      byPlace.set(place, (byPlace.get(place) ?? 0) + now - began)
    }
    const slept = sleep(...args)
    slept.then(end, end)
    return slept
  }
  syncBuiltinESMExports()
  return () => ({
    waited: rounded(total / 1000),
    waits: [...byPlace]
      .map(([at, ms]) => ({ at, seconds: rounded(ms / 1000) }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, 5),
  })
}

/** Returns the line of the test that waits, or undefined if product code waits. */
function testPlace(): string | undefined {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = framesKept
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  const frames = stack.split('\n').filter(line => location.test(line) && !line.includes('/observe.ts:'))
  const [caller = ''] = frames
  if (!isTestFrame.test(caller)) return undefined
  const frame = frames.find(line => isTestFrame.test(line) && !isHelperFrame.test(line)) ?? caller
  const [, file = '', line = ''] = location.exec(frame) ?? []
  return `${path.relative(root, file.replace('file://', ''))}:${line}`
}

/** CPU seconds of all descendants that have ended and were waited for; null if the kernel does not report it. */
function childCpu(): number | null {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return rounded((Number(fields[13]) + Number(fields[14])) / ticksPerSecond)
  } catch {
    return null
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100
}
