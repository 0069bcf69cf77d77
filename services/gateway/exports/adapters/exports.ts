/** Requests about exports to the extractor, which owns them. Every function throws its `Refusal`. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type {
  ExportAccepted,
  ExportFile,
  ListExports,
  RequestExport,
  StoredView,
} from '@tidemark/contracts/rpc/exports'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'

export type Exports = {
  request(wanted: RequestExport): Promise<ExportAccepted>
  list(request: ListExports): Promise<StoredView[]>
  /** Returns null if the project has no such export. */
  find(projectId: number, exportId: number): Promise<StoredView | null>
  /** Returns null if no project has such an export. */
  file(exportId: number): Promise<ExportFile | null>
  /** Returns false if the project has no such export. */
  remove(projectId: number, exportId: number): Promise<boolean>
}

export function openExports(bus: Bus): Exports {
  const limit = { timeoutMs: 10_000 }
  return {
    request: wanted => call(bus, exportsRpc.requestExport, wanted, limit),
    list: async request => (await call(bus, exportsRpc.listExports, request, limit)).exports,
    find: async (projectId, exportId) =>
      (await call(bus, exportsRpc.getExport, { projectId, exportId }, limit)).export,
    file: async exportId => (await call(bus, exportsRpc.findExportFile, { exportId }, limit)).found,
    remove: async (projectId, exportId) =>
      (await call(bus, exportsRpc.deleteExport, { projectId, exportId }, limit)).deleted,
  }
}
