/**
 * Caches results that need every link of a run. The result of an ended run is valid until the run is reopened, that of
 * an active run for a few seconds. Concurrent callers share one computation, which stops when all of them have left.
 */
import type { OfProject } from '@tidemark/db/of-project'
import type { OfRun } from './crawled-pages.ts'

/** Computes a result. Rejects when the signal aborts. */
type Compute<Result> = (run: OfRun, signal: AbortSignal) => Promise<Result>

/** Returns the result of a run. Rejects with the reason of the signal when it aborts. */
export type RunResults<Result> = (run: OfRun, signal?: AbortSignal) => Promise<Result>

type Entry<Result> = {
  /** The end of the run when the computation began; null: it was active. */
  finishedAt: string | null
  result: Promise<Result>
  /** The time of `now` at which the result was complete; null: the computation is in progress. */
  completeAt: number | null
  callers: number
  stop: AbortController
}

type Options = {
  /** Maximum number of cached results. */
  max: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Milliseconds for which the result of an active run is valid. */
const validMs = 5_000

export function cachedByRun<Result>(
  reads: OfProject,
  compute: Compute<Result>,
  { max, now = () => performance.now() }: Options,
): RunResults<Result> {
  const entries = new Map<string, Entry<Result>>()

  return async (run, signal) => {
    signal?.throwIfAborted()
    const end = await endOf(reads, run)
    signal?.throwIfAborted()
    if (end === undefined) return compute(run, signal ?? never)
    const name = nameOf(run)
    const known = entries.get(name)
    const entry = known !== undefined && isValid(known, end) ? known : begin(run, end)
    entries.delete(name)
    entries.set(name, entry)
    const [oldest] = entries.keys()
    if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    return joined(entry, signal)
  }

  function isValid({ finishedAt, completeAt, stop }: Entry<Result>, end: string | null): boolean {
    if (finishedAt !== end) return false
    if (completeAt === null) return !stop.signal.aborted
    return end !== null || now() - completeAt < validMs
  }

  function begin(run: OfRun, finishedAt: string | null): Entry<Result> {
    const stop = new AbortController()
    const result = compute(run, stop.signal)
    const entry: Entry<Result> = { finishedAt, result, completeAt: null, callers: 0, stop }
    result.then(
      () => {
        entry.completeAt = now()
      },
      () => {
        if (entries.get(nameOf(run)) === entry) entries.delete(nameOf(run))
      },
    )
    return entry
  }
}

/** A run as of an earlier time has results of its own. */
const nameOf = ({ runId, upTo, upToSequence }: OfRun): string =>
  `${runId} ${upTo ?? ''} ${upToSequence ?? ''}`

/** Waits for the result. The last caller that leaves before it is complete stops the computation. */
async function joined<Result>(entry: Entry<Result>, signal: AbortSignal | undefined): Promise<Result> {
  entry.callers += 1
  try {
    return await (signal === undefined ? entry.result : Promise.race([entry.result, aborted(signal)]))
  } finally {
    entry.callers -= 1
    if (entry.callers === 0 && entry.completeAt === null) entry.stop.abort()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

const never = new AbortController().signal

/** Returns when the run ended, null while it is active, and undefined if the project has no such run. */
async function endOf(reads: OfProject, { projectId, runId }: OfRun): Promise<string | null | undefined> {
  const { rows } = await reads(projectId).query<{ end: string | null }>(
    'select finished_at::text as end from read.run where id = $1 and project_id = $2',
    [runId, projectId],
  )
  return rows[0]?.end
}
