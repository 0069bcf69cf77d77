/** The settings of a crawl whose request has the URL only. */
import type { RunSettings } from '@tidemark/contracts/run-settings'

export const defaultSettings: RunSettings = {
  maxPages: 1000,
  depth: 5,
  concurrency: null,
  delayMs: 250,
  subdomains: false,
  respectRobots: true,
  storeHtml: true,
}
