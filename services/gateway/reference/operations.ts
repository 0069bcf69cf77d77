/** The reference's words for every operation. A new operation adds its own in `reference.ts` of its feature. */

import { account } from '../account/reference.ts'
import { billing } from '../account/reference-billing.ts'
import { linkActors } from '../actors/check-links/reference.ts'
import { graphActors } from '../actors/link-graph/reference.ts'
import { actors } from '../actors/reference.ts'
import { siteActors } from '../actors/site-audit/reference.ts'
import { sitemapActors } from '../actors/sitemap-audit/reference.ts'
import { cloud } from '../cloud/reference.ts'
import { cloudSites } from '../cloud/reference-sites.ts'
import { crawls } from '../crawls/reference.ts'
import { crawlAnswers } from '../crawls/reference-answers.ts'
import { diffs } from '../diffs/reference.ts'
import { evidenceWords } from '../evidence/reference.ts'
import { exports } from '../exports/reference.ts'
import type { Profile } from '../http/domain/profile.ts'
import { links } from '../links/reference.ts'
import { monitors } from '../monitors/reference.ts'
import { health } from '../operations/reference.ts'
import { pages } from '../pages/reference.ts'
import { scans } from '../scan/reference.ts'
import { batches } from '../scan/reference-batches.ts'
import { webhooks } from '../webhooks/reference.ts'
import type { Operations } from './operation.ts'

export const operationsOf = (profile: Profile): Operations => ({
  ...crawls(profile),
  ...crawlAnswers,
  ...pages,
  ...exports,
  ...evidenceWords,
  ...links,
  ...diffs,
  ...scans,
  ...batches,
  ...cloud,
  ...cloudSites,
  ...actors,
  ...linkActors,
  ...sitemapActors,
  ...graphActors,
  ...siteActors,
  ...account,
  ...monitors(profile),
  ...billing,
  ...webhooks,
  ...health,
})
