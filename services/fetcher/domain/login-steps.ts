/** The steps of a login, as a browser receives them. */
import type { PageAction } from '@tidemark/contracts/http/cloud/page-action'

/** Returns the steps with absolute addresses. All are relative to the URL of the crawl, as the gateway checks them. */
export const absoluteSteps = (steps: readonly PageAction[], base: string): PageAction[] =>
  steps.map(step => (step.url === undefined ? step : { ...step, url: new URL(step.url, base).href }))
