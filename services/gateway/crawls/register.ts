/** Registers the routes of crawls. */
import type { Bus } from '@tidemark/bus/connection'
import type { Archives } from '@tidemark/content/archive'
import type { OfProject } from '@tidemark/db/of-project'
import type { Sealer } from '@tidemark/secrets/seal'
import type { App } from '../app.ts'
import { openContents } from '../live-pages/adapters/contents.ts'
import { judgesBy, mapsBy } from '../live-pages/adapters/maps.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import type { ReadModelClock } from '../read-model/adapters/projected.ts'
import type { RunsAsOf } from '../read-model/adapters/runs-as-of.ts'
import { describedPagesOf } from './adapters/described-pages.ts'
import { openForks } from './adapters/forks.ts'
import { lastRunOf } from './adapters/last-run.ts'
import { openMonitorStarts } from './adapters/monitor-starts.ts'
import { pageTexts } from './adapters/page-texts.ts'
import { openRunAnswers } from './adapters/run-answers.ts'
import { openRunEvents } from './adapters/run-events.ts'
import { openRunReads, seedFailureOf, unitsOfRunBy } from './adapters/run-reads.ts'
import { openRuns, type Runs } from './adapters/runs.ts'
import { coverageRoutes } from './coverage.ts'
import { crawlRoutes } from './crawls.ts'
import { errorRoutes } from './errors.ts'
import { estimateRoutes } from './estimate.ts'
import { type EventPorts, eventRoutes } from './events.ts'
import { explainRoutes } from './explain.ts'
import { llmsTxtRoute } from './llms-txt.ts'
import type { StartPorts } from './start-crawl.ts'

type Needs = Pick<StartPorts, 'patterns' | 'metering' | 'pools' | 'idempotencyStrict'> &
  Pick<EventPorts, 'checkCaller' | 'streamsOfProject'> & {
    bus: Bus
    reads: OfProject
    clock: ReadModelClock
    archives: Archives
    secrets: Pick<Sealer, 'seal' | 'fingerprint'>
    sites: SeedPorts & Pick<StartPorts, 'judgeProxy'>
    runsAsOf: RunsAsOf
    /** The product token by which X-Robots-Tag may address this crawler. */
    robotsToken: string
    report: (error: unknown) => void
    now: () => number
  }

/** Adds the routes. Returns the functions that other features use. */
export function registerCrawls(app: App, needs: Needs): Pick<Runs, 'hasRun' | 'findRun'> {
  const { bus, reads, clock, archives, runsAsOf, metering, report, now } = needs
  const { seal, fingerprint } = needs.secrets
  const runReads = openRunReads(reads)
  const { hasRun, findRun, ...runs } = openRuns(bus, runReads, clock, fingerprint)
  const runAnswers = openRunAnswers(bus, reads)
  const starting = {
    ...needs.sites,
    ...runs,
    seal,
    metering,
    models: openModels(bus),
    monitors: openMonitorStarts(bus, fingerprint),
    patterns: needs.patterns,
    pools: needs.pools,
    idempotencyStrict: needs.idempotencyStrict,
  }
  const forks = openForks(bus, clock, fingerprint)
  crawlRoutes(app, { ...starting, ...forks, findRun, runsAsOf, now })
  coverageRoutes(app, { runAnswers, runsAsOf, hasRun })
  errorRoutes(app, { runAnswers, runsAsOf, hasRun })
  explainRoutes(app, { runAnswers, hasRun })
  eventRoutes(app, {
    findRun,
    followRun: openRunEvents({ bus, archives, report }),
    streamsOfProject: needs.streamsOfProject,
    checkCaller: needs.checkCaller,
  })
  estimateRoutes(app, {
    ...starting,
    mapSite: mapsBy(bus),
    judgeUrls: judgesBy(bus),
    findLastRun: lastRunOf(reads),
    findSettings: forks.findSettings,
  })
  llmsTxtRoute(app, {
    ...starting,
    findRun,
    describePages: describedPagesOf(reads, { robotsToken: needs.robotsToken, now }),
    readTexts: pageTexts(openContents(bus), now),
    seedFailure: seedFailureOf(reads),
    unitsOfRun: unitsOfRunBy(reads),
    now,
  })
  return { hasRun, findRun }
}
