/** Registers the routes for the webhooks of a project and their deliveries. */
import type { Bus } from '@tidemark/bus/connection'
import type { App } from '../app.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import type { ReadModelClock } from '../read-model/adapters/projected.ts'
import { openWebhooks } from './adapters/webhooks.ts'
import { type DeliveryPorts, deliveryRoutes } from './deliveries.ts'
import { webhookRoutes } from './webhook.ts'

type Needs = {
  bus: Bus
  clock: ReadModelClock
  judgeTarget: SeedPorts['judgeTarget']
  hasRun: DeliveryPorts['hasRun']
}

export function registerWebhooks(app: App, { bus, clock, judgeTarget, hasRun }: Needs): void {
  const webhooks = openWebhooks(bus, clock)
  webhookRoutes(app, { webhooks, judgeTarget })
  deliveryRoutes(app, { webhooks, hasRun })
}
