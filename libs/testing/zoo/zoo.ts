/** The zoo: all hostile sites, in the order of their groups. */
import { htmlShapes } from './html.ts'
import { markupData } from './markup-data.ts'
import { redirects } from './redirects.ts'
import { robots } from './robots.ts'
import type { Site } from './site.ts'
import { sitemaps } from './sitemaps.ts'
import { size } from './size.ts'
import { slowness } from './slowness.ts'
import { urlTraps } from './url-traps.ts'

export const zoo: Site[] = [
  ...urlTraps,
  ...redirects,
  ...slowness,
  ...size,
  ...htmlShapes,
  ...markupData,
  ...robots,
  ...sitemaps,
]
