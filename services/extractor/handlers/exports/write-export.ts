/**
 * Writes one export to its sink. After a kill the file is written again from its beginning: parts that are stored with
 * the same hash are skipped, others are replaced. So a killed process costs time, and never a record.
 */
import type { FilePart } from '../../adapters/exports/export-thread.ts'
import type { Leases, StoredPart, Written } from '../../adapters/exports/leases.ts'
import type { PageFeed } from '../../adapters/exports/page-feed.ts'
import type { Sink } from '../../adapters/exports/sinks.ts'
import { type ExportJob, runReopened, TimeSliceOver } from '../../domain/exports/export-job.ts'

export type WritePorts = {
  leases: Pick<Leases, 'parts' | 'renew' | 'areOthersDue' | 'done'>
  feed: PageFeed
  sink: Sink
  write: (
    run: Awaited<ReturnType<PageFeed['run']>>,
    take: (part: FilePart) => Promise<void>,
  ) => Promise<Written>
  slice: TimeSlice
}

/** Rejects with `ExportFault`, `LeaseLost` and `TimeSliceOver`. */
export async function writeExport(
  { leases, feed, sink, write, slice }: WritePorts,
  job: ExportJob,
): Promise<void> {
  const run = await feed.run()
  if (run.finishedAt === null) throw runReopened()
  const known = new Map((await leases.parts(job)).map(part => [part.number, part]))
  const written = await write(run, async part => {
    if (known.get(part.number)?.sha256 === part.sha256) return
    await sink.put(part)
    if (slice.isOver() && !part.isLast && (await leases.areOthersDue(job))) throw new TimeSliceOver()
  })
  // Rejects if the run was deleted or reopened while its last pages were read, which may have been incomplete.
  await feed.run()
  // No other process may complete the file, and the bucket may take longer than the rest of the lease.
  await leases.renew(job)
  await sink.complete(written, partsOf(written, await leases.parts(job)))
  await leases.done(job, written)
}

/** Returns the parts of the written file. Parts of an earlier, longer attempt may be stored after them. */
const partsOf = ({ parts }: Written, stored: readonly StoredPart[]): StoredPart[] =>
  stored.filter(({ number }) => number <= parts)

/** One export's time slice. `isOver` is called after each new part and after each call for vectors. */
export type TimeSlice = { isOver: () => boolean }

/**
 * Begins a time slice. The time in which stored parts are written again does not count. The slice lasts at least
 * as long as that time, so at least half of all work is progress.
 * @param sliceMs minimum time for new parts before other due exports get their time slice
 */
export function beginSlice(sliceMs: number): TimeSlice {
  const begun = performance.now()
  let firstStored: number | null = null
  return {
    isOver() {
      const now = performance.now()
      firstStored ??= now
      return now - firstStored >= Math.max(sliceMs, firstStored - begun)
    },
  }
}
