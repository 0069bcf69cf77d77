/** `npm run docs` writes the dashboards; `metric-names.test.ts` fails if a file differs. */
import fs from 'node:fs'
import path from 'node:path'
import { api } from './api.ts'
import { browser } from './browser.ts'
import { crawlFlow } from './crawl-flow.ts'
import { money } from './money.ts'
import { type Dashboard, dashboardJson } from './panel.ts'

export const dashboards: readonly Dashboard[] = [crawlFlow, api, browser, money]

export const dashboardFile = ({ uid }: Dashboard): string => path.join(import.meta.dirname, `${uid}.json`)

export const dashboardText = (dashboard: Dashboard): string =>
  `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`

if (import.meta.main)
  for (const dashboard of dashboards) fs.writeFileSync(dashboardFile(dashboard), dashboardText(dashboard))
