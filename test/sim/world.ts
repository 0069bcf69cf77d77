/**
 * Virtual time for any number of simulated processes in one thread. Everything that happens is an event in one queue:
 * a timer, a request that arrives at a server, a response that arrives at a process. Code runs in no time between two
 * events. A crashed process receives no more events, so it stops at its next `await`. A paused one receives them late.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, type Hash } from 'node:crypto'
import { Heap } from './heap.ts'
import { Random } from './random.ts'

/** A simulated process, from its start to its end. A restart is another one. */
export type Task = {
  readonly name: string
  isAlive: boolean
  /** Time until which it is paused; 0: it is not. */
  pausedUntil: number
  /** Milliseconds by which its clock is ahead. */
  skewMs: number
  /** Called once when it ends. */
  onEnd: (() => void)[]
  /** Runs its code. */
  enter: (act: () => void) => void
}

export type Event = { at: number; order: number; owner: Task | null; act: () => void; isCancelled: boolean }

/** Reports that an invariant is violated. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/**
 * The process whose code is running. All worlds share it, because each `AsyncLocalStorage` stays in every later context
 * of the thread: with a separate one for each world, the simulation becomes slower with each seed.
 */
const running = new AsyncLocalStorage<Task>()

const maxStory = 400
const immediate = globalThis.setImmediate

export class World {
  readonly seed: number
  readonly random: Random
  readonly startedAt: number
  now: number
  /** Number of events that were processed. */
  events = 0
  /** The first violated invariant. */
  violation: Error | null = null
  readonly #queue = new Heap<Event>((a, b) => a.at - b.at || a.order - b.order)
  readonly #hash: Hash = createHash('sha256')
  readonly #story: string[] = []
  #order = 0
  /** Whether the code of a process has begun in this event. */
  #hasStarted = false

  constructor(seed: number, startedAt: number) {
    this.seed = seed
    this.random = new Random(seed)
    this.startedAt = startedAt
    this.now = startedAt
  }

  /** The process whose code is running; null: the simulator itself. */
  get current(): Task | null {
    return running.getStore() ?? null
  }

  /** The clock of the running process. */
  get clock(): number {
    return this.now + (this.current?.skewMs ?? 0)
  }

  /** Schedules an event of the running process, or of another owner. Null: of no process, so it always happens. */
  after(ms: number, act: () => void, owner: Task | null = this.current): Event {
    const event = { at: this.now + Math.max(0, ms), order: this.#order++, owner, act, isCancelled: false }
    this.#queue.push(event)
    return event
  }

  /** Starts a process with this code. An error that it throws is a violation. `ended` is called when it crashes. */
  start(name: string, ended: () => void, main: (self: Task) => Promise<unknown>): Task {
    const task: Task = { name, isAlive: true, pausedUntil: 0, skewMs: 0, onEnd: [ended], enter() {} }
    task.enter = running.run(task, () => AsyncLocalStorage.snapshot())
    this.#hasStarted = true
    task.enter(() => {
      main(task).catch(error => {
        if (task.isAlive) this.fail(error)
      })
    })
    return task
  }

  kill(task: Task): void {
    if (!task.isAlive) return
    task.isAlive = false
    for (const act of task.onEnd.splice(0)) act()
  }

  /** Records something that happened, for the hash of the trace and for the story of a failure. */
  record(what: string): void {
    const line = `${((this.now - this.startedAt) / 1000).toFixed(3).padStart(9)} ${what}`
    this.#hash.update(line)
    this.#story.push(line)
    if (this.#story.length > 2 * maxStory) this.#story.splice(0, maxStory)
  }

  /** Records a violated invariant. The first one ends the simulation. */
  fail(error: unknown): void {
    this.violation ??= error instanceof Error ? error : new Error(String(error))
  }

  get story(): string[] {
    return this.#story.slice(-maxStory)
  }

  /** Returns the hash of everything that was recorded. Equal seeds have equal hashes. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }

  /** Processes events in order until the condition holds, an invariant is violated, or this time. */
  async run(isOver: () => boolean, until: number): Promise<void> {
    while (await inNewTask(() => this.#processSome(isOver, until)));
  }

  /** Processes a number of events. Returns whether more may follow. */
  #processSome(isOver: () => boolean, until: number): boolean {
    for (let left = eventsOfTask; left > 0; left--) {
      if (this.violation !== null || isOver()) return false
      const event = this.#queue.pop()
      if (event === undefined || event.at > until) {
        if (event !== undefined) this.#queue.push(event)
        this.now = Math.max(this.now, until)
        return false
      }
      if (!event.isCancelled && event.owner?.isAlive !== false) this.#process(event)
    }
    return true
  }

  #process(event: Event): void {
    this.now = event.at
    if (event.owner !== null && event.owner.pausedUntil > this.now) {
      event.at = event.owner.pausedUntil
      this.#queue.push(event)
      return
    }
    this.events++
    try {
      if (event.owner === null) event.act()
      else event.owner.enter(event.act)
    } catch (error) {
      this.fail(error)
    }
    // Events of no process run code of the simulator only, which never waits.
    if (event.owner !== null || this.#hasStarted) settle()
    this.#hasStarted = false
  }
}

/** Events after which the runtime gets control. */
const eventsOfTask = 1_000

const inNewTask = <T>(act: () => T): Promise<T> =>
  new Promise((resolve, reject) =>
    immediate(() => {
      try {
        resolve(act())
      } catch (error) {
        reject(error)
      }
    }),
  )

/**
 * Runs all code that can run without a further event, as the runtime does between two tasks. Node has no documented
 * function for this. A separate task for each event would take three times as long.
 */
const settle: () => void = Reflect.get(process, '_tickCallback')
