/** Registers the routes for the webhooks of a project and their deliveries. */
import type { Bus } from '@tidemark/bus/connection'
import type { App } from '../app.ts'
import type { SeedPorts } from '../live-pages/judge-seed.ts'
import { openWebhooks } from './adapters/webhooks.ts'
import { type DeliveryPorts, deliveryRoutes } from './deliveries.ts'
import { webhookRoutes } from './webhook.ts'

type Needs = { bus: Bus; judgeTarget: SeedPorts['judgeTarget']; hasRun: DeliveryPorts['hasRun'] }

export function registerWebhooks(app: App, { bus, judgeTarget, hasRun }: Needs): void {
  const webhooks = openWebhooks(bus)
  webhookRoutes(app, { webhooks, judgeTarget })
  deliveryRoutes(app, { webhooks, hasRun })
}
