/** Everything under `/v1/actors`. */
import type { App } from '../../app.ts'
import type { Report } from '../../plugins/problem.ts'
import { answersOfActors } from './answer-actor.ts'
import type { ActorPorts } from './ports.ts'
import { structuredDataRoute } from './structured-data.ts'

export function actorRoutes(app: App, ports: ActorPorts & { report: Report }): void {
  const answer = answersOfActors(app, ports.report)
  structuredDataRoute(app, ports, answer)
}
