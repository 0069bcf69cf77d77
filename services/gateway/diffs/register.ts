/** Registers the routes that compare two runs or two pages. */
import type { Bus } from '@tidemark/bus/connection'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { InlinkReads } from '../read-model/adapters/inlink-reads.ts'
import { openDiffFields } from './adapters/diff-fields.ts'
import { openDiffReads } from './adapters/diff-reads.ts'
import type { DiffHash } from './adapters/diff-statement.ts'
import { openFewWords } from './adapters/few-words.ts'
import { openRunRules } from './adapters/run-rules.ts'
import { type DiffPorts, diffRoutes } from './diff.ts'
import { pageDiffRoute } from './page-diff.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  inlinks: InlinkReads
  hasRun: DiffPorts['hasRun']
  scanLinks: DiffPorts['scanLinks']
  metering: Metering
  /** The hash by which a page counts as changed. */
  diffHash: DiffHash
}

export function registerDiffs(app: App, needs: Needs): void {
  const { bus, reads, inlinks, scanLinks, hasRun, diffHash, metering } = needs
  const contents = openContents(bus)
  const diffs = openDiffReads(reads, diffHash, openFewWords(reads, contents))
  diffRoutes(app, { diffs, diffFields: openDiffFields(reads, inlinks), scanLinks, hasRun })
  pageDiffRoute(app, { diffs, contents, models: openModels(bus), metering, rulesOf: openRunRules(reads) })
}
