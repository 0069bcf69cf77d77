/**
 * The thread that parses and searches patterns, in slices of a few milliseconds for one tenant after the other. It has
 * a low priority: the threads that serve requests come first.
 */
import { constants, getPriority, setPriority } from 'node:os'
import { setImmediate as breathe } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createPathFilter, type PathFilter, stepsOfPiece } from './path-filter.ts'
import { type Message, type Question, stopwatch, verdictNumbers } from './pattern-messages.ts'
import { createWorkTurns } from './pattern-turns.ts'
import { type Checked, checkSteps, type PatternLists } from './patterns.ts'

const sliceMs = 5
/** While it works for long, it says so as often as this. */
const aliveMs = 1_000
const niceness = 10
const lowest = constants.priority.PRIORITY_LOW
/** Approximate bytes of compiled patterns: a pattern is searched again with the next page. */
const maxKept = 64_000_000

/** Reports the number of the current question to the thread's owner, even if the thread ends during it. */
const current = new Int32Array(workerData as SharedArrayBuffer)
const turns = createWorkTurns<Checked | number[]>(sliceMs, stopwatch)
/** By the text of the patterns, the last used last. */
const filters = new Map<string, PathFilter>()
let isWorking = false
let saidAt = 0

giveWay()
parentPort?.on('message', (message: Message) => {
  if ('end' in message) turns.end(message.end)
  else add(message)
  if (!isWorking) void work()
})

async function work(): Promise<void> {
  isWorking = true
  for (let id = turns.next(); id !== null; id = turns.next()) {
    Atomics.store(current, 0, id)
    const done = turns.slice()
    Atomics.store(current, 0, 0)
    if (done) say(done)
    else if (performance.now() - saidAt > aliveMs) say({ id: 0 })
    // Takes what has come meanwhile, as that a question is to end.
    await breathe()
  }
  isWorking = false
}

function say(what: object): void {
  saidAt = performance.now()
  parentPort?.postMessage(what)
}

function add(question: Question): void {
  const { id, tenant, lists } = question
  if (!('urls' in question)) {
    const soFar = (): Checked => ({ ok: true })
    turns.add(id, { tenant, steps: checkSteps(lists), budgetMs: Number.POSITIVE_INFINITY, soFar })
    return
  }
  const { urls, budgetMs } = question
  const verdicts: number[] = []
  turns.add(id, { tenant, steps: judgeAll(lists, urls, verdicts), budgetMs, soFar: () => verdicts })
}

function* judgeAll(
  lists: PatternLists,
  urls: readonly string[],
  verdicts: number[],
): Generator<void, number[]> {
  const filter = filterOf(lists)
  const numberOf = verdictNumbers(lists)
  const steps = { left: stepsOfPiece }
  for (const url of urls) {
    verdicts.push(numberOf(yield* filter.judgeSteps(url, steps)))
    if (steps.left > 0) continue
    yield
    steps.left = stepsOfPiece
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
 * On Linux a priority belongs to a thread, and 0 is the current one. If it cannot be set, the thread works without it.
 */
function giveWay(): void {
  try {
    setPriority(0, Math.min(lowest, getPriority(0) + niceness))
  } catch {}
}
