/** The rules of exports: their options, their file, and when a job is tried again. */
import type { ExportSink } from '@tidemark/contracts/http/export-sink'
import type { ExportSelection } from '@tidemark/contracts/http/exports'
import type { ExportCaps } from '@tidemark/contracts/limits'
import type { ExportOptions, FormatName } from '@tidemark/export/format'
import { formats } from '@tidemark/export/formats'
import type { Part } from '@tidemark/export/page'
import type { Embedded } from './embedding-bill.ts'

/** An export that a process works on. */
export type ExportJob = {
  id: number
  projectId: number
  runId: number
  format: FormatName
  select: ExportSelection
  sink: ExportSink
  /** Sealed; null for a download. */
  credentials: string | null
  /** Identifies the process that works on it. */
  lease: string
  /** Starts of the job since a part of the file or an embedding was last stored. */
  attempts: number
  /** The upload at the bucket; null: none was begun. */
  upload: string | null
  trace: string | null
  /** The embeddings so far; null: without a response of the model. */
  embeddings: Embedded | null
  caps: ExportCaps
}

/** Bytes of every part but the last: S3 takes at least 5 MiB, and at most 10,000 parts. */
export const partBytes = 8 * 1024 ** 2

/** Returns the lower one of a limit of the installation and a cap of the project. Null: the project has no cap. */
export const lowerOf = (limit: number, cap: number | null): number => Math.min(limit, cap ?? limit)

export const optionsOf = ({
  include = [],
  graph = 'gexf',
  chunks,
  tables = chunks?.embeddings ? ['chunks'] : ['pages'],
}: ExportSelection): ExportOptions => ({
  include: chunks === undefined ? include : [...include, 'chunks'],
  tables,
  embeddings: chunks?.embeddings === true,
  graph,
})

/** Returns whether the Markdown has only the main content, which is the default of the format `markdown`. */
export const isMainOnly = ({ format, select }: Pick<ExportJob, 'format' | 'select'>): boolean =>
  select.only_main_content ?? format === 'markdown'

type Made = Pick<ExportJob, 'id' | 'runId' | 'format' | 'select'>

/** Returns the name and the type of the file. */
export function fileOf({ id, runId, format, select }: Made): { name: string; mediaType: string } {
  const { extension, mediaType } = formats[format].fileType(optionsOf(select))
  return { name: `tidemark-run-${runId}-export-${id}.${extension}`, mediaType }
}

/** Parts of a page that are derived from its body. */
const ofBody = new Set<Part>([
  'body',
  'headers',
  'html',
  'markdown',
  'chunks',
  'embeddings',
  'article',
  'links',
])

/** Returns whether the format needs the bodies of the pages, or what is stored with them. */
export const needsBodies = (format: FormatName, select: ExportSelection): boolean =>
  formats[format].needs(optionsOf(select)).some(part => ofBody.has(part))

/** The reason why a job ends without a file. `isFinal` is false for an outage, after which it is tried again. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault'
  readonly reason: string
  readonly isFinal: boolean

  /** @param message for the client: the reason and the remedy, without secrets and internal addresses */
  constructor(
    reason: string,
    message: string,
    { isFinal = true, cause }: { isFinal?: boolean; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.isFinal = isFinal
  }
}

/** The reason of an export whose run was deleted before its end. */
export const runDeleted = {
  reason: 'run_deleted',
  message: 'The crawl was deleted before its export was complete. Crawl the site again.',
}

/** Returns the fault of an export whose run was reopened. Runs have ended when their exports are requested. */
export const runReopened = () =>
  new ExportFault(
    'run_active',
    'The failed URLs of the crawl are being retried. Wait for its end, then request the export again.',
    { isFinal: false },
  )

/** Reports that other exports are due. The stored parts are skipped when the export continues. */
export class TimeSliceOver extends Error {
  override readonly name = 'TimeSliceOver'
}

/** Reports that the daily cap of calls of models is used up. The export continues after the pause. */
export class Postponed extends Error {
  override readonly name = 'Postponed'
  readonly pauseMs: number

  constructor(pauseMs: number) {
    super(`the export continues in ${pauseMs} ms`)
    this.pauseMs = pauseMs
  }
}

/** Maximum consecutive starts without progress. More of them mean that the job itself ends its process. */
const maxAttempts = 20
/** Consecutive outages. Their pauses take 18.5 minutes together. */
const maxFailures = 10
const firstPauseMs = 2_000
const maxPauseMs = 300_000

export const isWornOut = ({ attempts }: Pick<ExportJob, 'attempts'>): boolean => attempts > maxAttempts

/** Returns the pause before the next try in ms; null: there is no further try. */
export const pauseAfter = (failures: number): number | null =>
  failures > maxFailures ? null : Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs)
