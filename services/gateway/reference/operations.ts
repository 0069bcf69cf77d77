/** Everything that the reference says of every operation. A new one adds itself in the file of its chapter. */
import type { Profile } from '../domain/profile.ts'
import { account } from './account.ts'
import { actors } from './actors.ts'
import { billing } from './billing.ts'
import { linkActors } from './check-links.ts'
import { cloud } from './cloud.ts'
import { cloudSites } from './cloud-sites.ts'
import { crawlAnswers } from './crawl-answers.ts'
import { crawls } from './crawls.ts'
import { health } from './health.ts'
import { graphActors } from './link-graph.ts'
import { monitors } from './monitors.ts'
import type { Operations } from './operation.ts'
import { pages } from './pages.ts'
import { scans } from './scans.ts'
import { sitemapActors } from './sitemap-audit.ts'
import { webhooks } from './webhooks.ts'

export const operationsOf = (profile: Profile): Operations => ({
  ...crawls(profile),
  ...crawlAnswers,
  ...pages,
  ...scans,
  ...cloud,
  ...cloudSites,
  ...actors,
  ...linkActors,
  ...sitemapActors,
  ...graphActors,
  ...account,
  ...monitors(profile),
  ...billing,
  ...webhooks,
  ...health,
})
