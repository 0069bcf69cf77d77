/**
 * The thread that compiles and searches patterns, in slices of a few milliseconds, alternating between tenants. It
 * has a low priority, because serving requests comes first.
 */
import { constants, getPriority, setPriority } from 'node:os'
import { setImmediate as yieldToMessages } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createFairWork } from './fair-work.ts'
import { createPathFilter, type PathFilter, stepsPerSlice } from './path-filter.ts'
import { type Message, type PatternRequest, stopwatch, verdictNumbers } from './pattern-messages.ts'
import { type Checked, checkSteps, type PatternLists } from './patterns.ts'

const sliceMs = 5
/** Interval in milliseconds of the messages that show, during long work, that the thread is alive. */
const aliveMs = 1_000
const niceness = 10
const lowest = constants.priority.PRIORITY_LOW
/** Approximate maximum bytes of compiled patterns. They are cached because the next page uses the same patterns. */
const maxKept = 64_000_000

/** The id of the current request, or 0. It is in shared memory: the parent thread reads it after this thread ends. */
const current = new Int32Array(workerData as SharedArrayBuffer)
const queue = createFairWork<Checked | number[]>(sliceMs, stopwatch)
/** Maps the JSON of pattern lists to their filter, the least recently used first. */
const filters = new Map<string, PathFilter>()
let isWorking = false
let lastMessageAt = 0

lowerPriority()
parentPort?.on('message', (message: Message) => {
  if ('end' in message) queue.end(message.end)
  else add(message)
  if (!isWorking) void work()
})

async function work(): Promise<void> {
  isWorking = true
  for (let id = queue.next(); id !== null; id = queue.next()) {
    Atomics.store(current, 0, id)
    const done = queue.slice()
    Atomics.store(current, 0, 0)
    if (done) send(done)
    else if (performance.now() - lastMessageAt > aliveMs) send({ id: 0 })
    // Receives pending messages, for example cancellations.
    await yieldToMessages()
  }
  isWorking = false
}

function send(what: object): void {
  lastMessageAt = performance.now()
  parentPort?.postMessage(what)
}

function add(request: PatternRequest): void {
  const { id, tenant, lists } = request
  if (!('urls' in request)) {
    const soFar = (): Checked => ({ ok: true })
    queue.add(id, { tenant, steps: checkSteps(lists), budgetMs: Number.POSITIVE_INFINITY, soFar })
    return
  }
  const { urls, budgetMs } = request
  const verdicts: number[] = []
  queue.add(id, { tenant, steps: judgeAll(lists, urls, verdicts), budgetMs, soFar: () => verdicts })
}

function* judgeAll(
  lists: PatternLists,
  urls: readonly string[],
  verdicts: number[],
): Generator<void, number[]> {
  const filter = filterOf(lists)
  const numberOf = verdictNumbers(lists)
  const steps = { left: stepsPerSlice }
  for (const url of urls) {
    verdicts.push(numberOf(yield* filter.judgeSteps(url, steps)))
    if (steps.left > 0) continue
    yield
    steps.left = stepsPerSlice
  }
  return verdicts
}

function filterOf(lists: PatternLists): PathFilter {
  const text = JSON.stringify([lists.include ?? [], lists.exclude ?? []])
  const filter = filters.get(text) ?? createPathFilter(lists)
  filters.delete(text)
  filters.set(text, filter)
  let kept = [...filters.values()].reduce((sum, { memory }) => sum + memory, 0)
  for (const [oldest, { memory }] of filters) {
    if (kept <= maxKept || oldest === text) break
    filters.delete(oldest)
    kept -= memory
  }
  return filter
}

/**
 * Lowers the priority. On Linux a priority belongs to a thread, and 0 means the calling thread. Without the
 * permission, the thread keeps its priority.
 */
function lowerPriority(): void {
  try {
    setPriority(0, Math.min(lowest, getPriority(0) + niceness))
  } catch {}
}
