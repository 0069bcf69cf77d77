/**
 * Decides which task runs next: the first task for which the processors still have capacity. A task that waits most of
 * its time takes a small part of a processor, so more tasks than processors run at once. Costs are averages: while all
 * running tasks happen to wait, the processors are idle, and one more task starts.
 */

/** The expected cost of a task on a quiet machine, in seconds. */
export type Cost = { seconds: number; cpu: number }
export type Task = {
  name: string
  cost: Cost
  /** It takes a whole processor, and no other heavy task runs beside it. */
  isHeavy?: boolean
  run(): Promise<void>
}
export type Capacity = {
  processors: number
  /** Maximum number of tasks that run at once. */
  slots: number
  /** Lets more tasks run while processors are idle. */
  spare?: {
    /** Maximum number of tasks that run at once while processors are idle, including the usual slots. */
    slots: number
    /** Observes the processors for some seconds, and resolves with the number of idle processors. */
    idleProcessors(): Promise<number>
  }
}

/** Minimum share of a processor for a task. A task that waits must be able to continue in time, and the costs vary. */
const minShare = 0.5
/** A task with a smaller share than this waits most of the time, and takes half of `minShare`. */
const waitingShare = 0.15
/** Maximum share: a task that may run beside others takes at most one processor. */
const maxShare = 1
/** Maximum number of other tasks that may overtake a task that does not fit. Then this task is the next to start. */
const maxOvertaken = 4

/**
 * Returns heavy tasks first, because they run one after another, and then the longest tasks, so that no long task is
 * left at the end.
 */
export const longestFirst = (tasks: readonly Task[]): Task[] =>
  tasks.toSorted(
    (a, b) => Number(b.isHeavy ?? false) - Number(a.isHeavy ?? false) || b.cost.seconds - a.cost.seconds,
  )

/** Returns the longest tasks below `waitingShare` that together take at most this number of seconds. */
export function waitingTasks(tasks: readonly Task[], maxSeconds: number): Task[] {
  const chosen: Task[] = []
  let seconds = 0
  for (const task of longestFirst(tasks)) {
    if (shareOf(task) >= minShare || seconds + task.cost.seconds > maxSeconds) continue
    chosen.push(task)
    seconds += task.cost.seconds
  }
  return chosen
}

/** Tasks, and how many of them run at once. */
export type Phase = {
  tasks: readonly Task[]
  capacity: Capacity
  /** The phase ends with these tasks, and the next phase takes over the others. Default: it ends with its last task. */
  until?: readonly Task[]
}

/**
 * Runs the phases one after another, and the tasks of a phase in their order as far as they fit. Resolves when all
 * tasks have ended, and rejects when one rejects.
 */
export async function runAll(...[first, ...later]: [Phase, ...Phase[]]): Promise<void> {
  let waiting = [...first.tasks]
  let { processors, slots, spare } = first.capacity
  let until = new Set(first.until ?? first.tasks)
  const running = new Map<Task, Promise<void>>()
  let load = 0
  let overtaken = 0
  let idle = 0
  let observing: Promise<void> | null = null
  while (waiting.length > 0 || running.size > 0 || later.length > 0) {
    if (until.size === 0) startPhase()
    const task = next()
    if (task === null) await Promise.race([...running.values(), ...observation()])
    else start(task)
  }

  function startPhase(): void {
    const phase = later.shift()
    if (phase === undefined) return
    waiting = longestFirst([...waiting, ...phase.tasks])
    ;({ processors, slots, spare } = phase.capacity)
    until = new Set(phase.until ?? phase.tasks)
  }

  /**
   * Returns the first task that fits, or null. Counts how often the first task is overtaken, unless that task waits for
   * a heavy one.
   */
  function next(): Task | null {
    const hasHeavy = [...running.keys()].some(({ isHeavy }) => isHeavy)
    const inLine = waiting.filter(({ isHeavy }) => !isHeavy || !hasHeavy)
    const fits = (task: Task) =>
      running.size === 0 || (running.size < slots && load + shareOf(task) <= processors) || fitsInIdle(task)
    const task = inLine.find((task, n) => (n === 0 || overtaken < maxOvertaken) && fits(task))
    if (task === undefined) return null
    overtaken = task === inLine[0] ? 0 : overtaken + 1
    return task
  }

  function fitsInIdle(task: Task): boolean {
    return spare !== undefined && running.size < spare.slots && !task.isHeavy && shareOf(task) <= idle
  }

  function observation(): Promise<void>[] {
    if (spare === undefined || waiting.length === 0) return []
    observing ??= spare.idleProcessors().then(found => {
      idle = found
      observing = null
    })
    return [observing]
  }

  /** Starts a task, and resets the number of idle processors: the next task needs a new observation. */
  function start(task: Task): void {
    waiting.splice(waiting.indexOf(task), 1)
    idle = 0
    load += shareOf(task)
    const ended = task.run().finally(() => {
      running.delete(task)
      until.delete(task)
      load -= shareOf(task)
    })
    running.set(task, ended)
  }
}

/** Returns how much of a processor the task keeps busy while it runs. */
function shareOf({ isHeavy, cost: { seconds, cpu } }: Task): number {
  if (isHeavy) return maxShare
  const share = cpu / Math.max(seconds, 0.01)
  return Math.min(Math.max(share, share < waitingShare ? minShare / 2 : minShare), maxShare)
}
