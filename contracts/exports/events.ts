/** An export: the pages of a run as one file. One subject per export, written by the extractor only. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from '../commit.ts'
import { ExportSink } from '../http/export-sink.ts'
import { ExportFormat, ExportSelection } from '../http/exports.ts'
import { Id, oneOf, Sha256 } from '../primitives.ts'

export const ExportEvent = Type.Union([
  /** Credentials of the sink are in no event. */
  fact('ExportRequested', {
    exportId: Id,
    projectId: Id,
    runId: Id,
    format: ExportFormat,
    select: ExportSelection,
    sink: ExportSink,
  }),
  /** The file is complete at its sink. */
  fact('ExportStored', { bytes: Type.Integer(), sha256: Sha256, records: Type.Integer() }),
  /** The export failed and is not retried. `message` is for people. */
  fact('ExportFailed', { reason: Type.String(), message: Type.String() }),
  /** This installation removed its copy of the file, because of its age or together with its run. */
  fact('ExportExpired', { because: oneOf(['age', 'run_deleted']) }),
  /** A client deleted the export, or its project was deleted. */
  fact('ExportDeleted', {}),
])
export type ExportEvent = Static<typeof ExportEvent>

export const ExportCommit = commitOf(ExportEvent)
export type ExportCommit = Static<typeof ExportCommit>
