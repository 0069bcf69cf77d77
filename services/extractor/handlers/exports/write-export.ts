/**
 * Writes one export to its sink. The file is written again from its beginning after a kill: parts that are stored with
 * the same hash are skipped, others replaced. So a killed process costs time, and never a record.
 */
import type { FilePart } from '../../adapters/exports/export-thread.ts'
import type { Leases, StoredPart, Written } from '../../adapters/exports/leases.ts'
import type { PageFeed } from '../../adapters/exports/page-feed.ts'
import type { Sink } from '../../adapters/exports/sinks.ts'
import { ExportFault, type ExportJob } from '../../domain/exports/export-job.ts'

export type WritePorts = {
  leases: Pick<Leases, 'parts' | 'done'>
  feed: PageFeed
  sink: Sink
  write: (
    run: Awaited<ReturnType<PageFeed['run']>>,
    take: (part: FilePart) => Promise<void>,
  ) => Promise<Written>
}

/** Rejects with `ExportFault` and with `LeaseLost`. */
export async function writeExport({ leases, feed, sink, write }: WritePorts, job: ExportJob): Promise<void> {
  const run = await feed.run()
  if (run.finishedAt === null)
    throw new ExportFault(
      'run_active',
      'The crawl has not ended. Wait for its end, then request the export again.',
    )
  const known = new Map((await leases.parts(job)).map(part => [part.number, part]))
  const written = await write(run, async part => {
    if (known.get(part.number)?.sha256 === part.sha256) return
    await sink.put(part)
  })
  // Deleted while its last pages were read: the content may have been incomplete.
  await feed.run()
  await sink.complete(written, partsOf(written, await leases.parts(job)))
  await leases.done(job, written)
}

/** A file that became shorter leaves parts behind its end. */
const partsOf = ({ parts }: Written, stored: readonly StoredPart[]): StoredPart[] =>
  stored.filter(({ number }) => number <= parts)
