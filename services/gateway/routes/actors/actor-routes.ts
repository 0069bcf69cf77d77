/** Everything under `/v1/actors`. */
import type { App } from '../../app.ts'
import type { Report } from '../../plugins/problem.ts'
import { seatsFor } from '../seats.ts'
import { answersOfActors } from './answer-actor.ts'
import { auditOnpageRoute } from './audit-onpage.ts'
import { checkLinksRoute } from './check-links.ts'
import { extractArticleRoute } from './extract-article.ts'
import { internalLinkGraphRoute } from './internal-link-graph.ts'
import type { ActorPorts } from './ports.ts'
import { renderDiffRoute } from './render-diff.ts'
import { sitemapAuditRoute } from './sitemap-audit.ts'
import { structuredDataRoute } from './structured-data.ts'

export function actorRoutes(app: App, ports: ActorPorts & { report: Report }): void {
  const answer = answersOfActors(app, ports)
  const takeSeat = seatsFor('actor_requests', 'link checks, link graphs and sitemap audits')
  structuredDataRoute(app, ports, answer)
  auditOnpageRoute(app, ports, answer)
  extractArticleRoute(app, ports, answer)
  renderDiffRoute(app, ports, answer)
  checkLinksRoute(app, ports, answer, takeSeat)
  sitemapAuditRoute(app, ports, answer, takeSeat)
  internalLinkGraphRoute(app, ports, answer, takeSeat)
}
