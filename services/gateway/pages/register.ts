/** Stored pages: lists of them, and one with its content. */
import type { Bus } from '@tidemark/bus/connection'
import type { ObjectBodies } from '@tidemark/content/store'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { pageContent } from './adapters/page-content.ts'
import { openPageReads } from './adapters/page-reads.ts'
import { openReplayReads } from './adapters/replay-reads.ts'
import { openReplays } from './adapters/replays.ts'
import { pageExtractRoute } from './extract.ts'
import { type PagePorts, pageRoutes } from './pages.ts'
import { replayRoute } from './replay.ts'
import { pageScreenshotRoute } from './screenshot.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  /** Undefined if all bodies are in Postgres. */
  objectBodies: ObjectBodies | undefined
  inlinks: PagePorts['inlinks']
  scanLinks: PagePorts['scanLinks']
  hasRun: PagePorts['hasRun']
  runsAsOf: PagePorts['runsAsOf']
  metering: Metering
}

/** Adds the routes. Returns the function that other features use: the run of a page of the project, or null. */
export function registerPages(app: App, { bus, reads, objectBodies, metering, ...ports }: Needs) {
  const pages = openPageReads(reads)
  const contents = openContents(bus)
  pageRoutes(app, { ...ports, pages, readContent: pageContent(reads, contents, objectBodies) })
  pageExtractRoute(app, { pages, contents, models: openModels(bus), metering })
  pageScreenshotRoute(app, { pages, reads, objectBodies })
  const { hasRun } = ports
  replayRoute(app, { replayReads: openReplayReads(reads), replays: openReplays(bus), contents, hasRun })
  return {
    runOfPage: async (projectId: number, pageId: number): Promise<number | null> =>
      (await pages.find(projectId, pageId))?.runId ?? null,
  }
}
