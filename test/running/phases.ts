/** Decides which test files may run at the same time. */
import { type Costs, costOfAll } from './costs.ts'
import { groupsOf } from './groups.ts'
import { idleProcessors } from './idle-processors.ts'
import { type Phase, type Task, waitingTasks } from './schedule.ts'

type Run = {
  costs: Costs
  /** Runs the files in one process. */
  run: (files: string[]) => Promise<void>
  /** Tasks of the run that are no test files. */
  checks: readonly Task[]
  processors: number
}

/**
 * Heavy files: they start twenty processes, start browsers, need a quorum in time, or report stalls of their own
 * process. They run one at a time, each with a processor of its own.
 */
const heavy = [
  ...['alerts', 'console', 'drain'].map(name => `test/e2e/${name}.test.ts`),
  ...['libs/browser/browser', 'services/fetcher/render', 'services/gateway/gateway', 'test/chaos/chaos'].map(
    name => `${name}.test.ts`,
  ),
  ...['bus', 'eventstore'].map(name => `libs/${name}/cluster.test.ts`),
]

/** Files that measure response times of a loaded system, or need a quorum in time while a whole system runs. */
const measuring = [
  ...['cluster', 'due-monitors', 'hostile-zoo', 'patterns', 'run-site', 'slow-clients'].map(
    name => `test/e2e/${name}.test.ts`,
  ),
  'services/webhook/burst.test.ts',
]
/** Capacity beside a measuring file: two files that wait most of the time. */
const besideMeasuring = { slots: 2, processors: 0.5 }
/**
 * Files are faster beside few others than when their costs were recorded. Files that do not start in time run later.
 */
const fasterBeside = 1.6

/**
 * Files per processor that run at once. Most files wait more than they work. With more files on busy processors, tests
 * of time limits fail.
 */
const slotsOfProcessor = 2
/** Maximum number of files per processor, even if processors are idle. */
const maxSlotsOfProcessor = 3

/**
 * Returns two phases. In the first, the measuring files run one at a time beside files that need little of a processor.
 * The second begins with the end of the last measuring file and has all other files.
 */
export function phasesOf(files: readonly string[], { costs, run, checks, processors }: Run): [Phase, Phase] {
  const taskOf = (group: string[], isHeavy: boolean): Task => ({
    name: group.join(' '),
    cost: costOfAll(costs, group),
    isHeavy,
    run: () => run(group),
  })
  const single = files.filter(file => measuring.includes(file)).map(file => taskOf([file], true))
  const others = files.filter(file => !measuring.includes(file))
  const tasks = groupsOf(others, costs).map(group =>
    taskOf(
      group,
      group.some(file => heavy.includes(file)),
    ),
  )
  const seconds = single.reduce((total, { cost }) => total + cost.seconds, 0)
  const beside = waitingTasks(tasks, besideMeasuring.slots * seconds * fasterBeside)
  const rest = tasks.filter(task => !beside.includes(task))
  return [
    {
      tasks: [...single, ...beside],
      capacity: { processors: 1 + besideMeasuring.processors, slots: 1 + besideMeasuring.slots },
      until: single,
    },
    {
      tasks: [...checks, ...rest],
      capacity: {
        processors,
        slots: slotsOfProcessor * processors,
        spare: { slots: maxSlotsOfProcessor * processors, idleProcessors },
      },
    },
  ]
}
