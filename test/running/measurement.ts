/** The cost of one test file, as each run writes it to `node_modules/.cache/tests.json`. All times are in seconds. */
import type { Tally } from '../tap-report.ts'

/** As the test process measures itself; see observe.ts. */
export type Usage = {
  /** CPU time of the test process. */
  cpu: number
  /** CPU time of its children, servers among them; null where it cannot be measured. */
  childCpu: number | null
  /** Number of servers that it started, by name. A system has a Postgres, a NATS and a Redis of its own. */
  servers: Record<string, number>
  /** Time in which the test slept or polled. */
  waited: number
  /** The lines that waited longest. Waits that overlap count for each. */
  waits: { at: string; seconds: number }[]
}

export type Measurement = Tally & {
  file: string
  /** Wall time. */
  seconds: number
  assertions: number
  /** Null if the process was killed. */
  usage: Usage | null
}

/** CPU time of the file and of all that it started. */
export const cpuOf = ({ usage }: Measurement): number =>
  usage === null ? 0 : usage.cpu + (usage.childCpu ?? 0)

const dearest = 10
/** A file that takes longer should be divided or made faster. */
const maxSeconds = 30

/** Returns the files that took longest as a table, and how many take longer than a file should. */
export function dearestFiles(measurements: readonly Measurement[]): string[] {
  const byTime = [...measurements].sort((a, b) => b.seconds - a.seconds)
  const tooLong = byTime.filter(({ seconds }) => seconds > maxSeconds).length
  return [
    'The dearest files: wall, CPU and waiting time in seconds, servers started',
    ...byTime.slice(0, dearest).map(row),
    ...(tooLong > 0 ? [`${tooLong} ${tooLong === 1 ? 'file' : 'files'} took more than ${maxSeconds} s`] : []),
  ]
}

function row(measurement: Measurement): string {
  const { file, seconds, usage } = measurement
  const numbers = [seconds, usage === null ? null : cpuOf(measurement), usage?.waited ?? null]
  const servers = Object.entries(usage?.servers ?? {}).map(([name, count]) => `${count} ${name}`)
  return `${numbers.map(number => (number?.toFixed(1) ?? '-').padStart(7)).join('')}  ${file}  ${servers.join(', ')}`.trimEnd()
}
