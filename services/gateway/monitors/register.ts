/** Registers the routes of monitors and their runs. */
import type { Bus } from '@tidemark/bus/connection'
import type { OfProject } from '@tidemark/db/of-project'
import type { App } from '../app.ts'
import { openModels } from '../live-pages/adapters/models.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import type { ReadModelClock } from '../read-model/adapters/projected.ts'
import type { HasRun } from '../read-model/existing-run.ts'
import { openMonitors } from './adapters/monitors.ts'
import { runOutcomesOf } from './adapters/run-outcomes.ts'
import { cronRunRoutes } from './cron-runs.ts'
import { cronRoutes } from './crons.ts'

type Needs = {
  bus: Bus
  reads: OfProject
  clock: ReadModelClock
  judgeTarget: SeedPorts['judgeTarget']
  metering: Metering
  hasRun: HasRun
}

export function registerMonitors(app: App, needs: Needs): void {
  const { bus, reads, clock, judgeTarget, metering, hasRun } = needs
  const monitors = openMonitors(bus, clock)
  cronRoutes(app, { monitors, models: openModels(bus), judgeTarget })
  cronRunRoutes(app, { monitors, metering, hasRun, readRunOutcomes: runOutcomesOf(reads) })
}
