/** Applies all rules for crawl requests beyond the schema, in this order. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { aggressive } from './aggressive.ts'
import { budget } from './budget.ts'
import { compareRules } from './compare-rules.ts'
import { concurrency } from './concurrency.ts'
import type { FieldRule, FieldRuleContext } from './field-rule.ts'
import { listedUrls } from './listed-urls.ts'
import { login } from './login.ts'
import {
  ageOfOneRun,
  announcements,
  changesOfMonitors,
  conditionsOfMonitors,
  intentOfMonitors,
  zoneOfMonitors,
} from './monitors-only.ts'
import { ownHeaders } from './own-headers.ts'
import { pathPatterns } from './path-patterns.ts'
import { proxyChoice } from './proxy-choice.ts'
import { rendering } from './rendering.ts'
import { userAgent } from './user-agent.ts'

const rules: FieldRule[] = [
  ownHeaders,
  userAgent,
  listedUrls,
  pathPatterns,
  compareRules,
  proxyChoice,
  rendering,
  budget,
  login,
  aggressive,
  concurrency,
  announcements,
  changesOfMonitors,
  conditionsOfMonitors,
  intentOfMonitors,
  zoneOfMonitors,
  ageOfOneRun,
]

/**
 * Returns the effective settings of a request, and its ignored fields.
 * @throws ApiProblem `invalid_input` with the invalid field
 */
export function applyFieldRules(
  requested: CrawlRequest,
  context: FieldRuleContext,
): { request: CrawlRequest; warnings: string[] } {
  const warnings: string[] = []
  const warn = (warning: string) => void warnings.push(warning)
  const request = rules.reduce((request, rule) => rule(request, context, warn), requested)
  return { request, warnings }
}
